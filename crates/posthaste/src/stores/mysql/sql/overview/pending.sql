-- Of these messages, how many a destination takes, how many of those its lanes have not come to, and the age of the oldest of them in
-- microseconds; by primary key.
SELECT COUNT(*) AS taken, COUNT(IF(s.status = 'pending', 1, NULL)) AS pending,
       TIMESTAMPDIFF(MICROSECOND, MIN(IF(s.status = 'pending', s.recorded_at, NULL)), UTC_TIMESTAMP(6)) AS age
FROM outbox_deliveries AS s
WHERE ({intervals}) AND s.position > :slowest AND s.position <= :upto AND s.destination = :destination
