-- How many messages lanes have not come to, and the age of the oldest in seconds. Reads only what lies beyond the slowest cursor: the
-- ranges by their primary key, the messages by theirs.
SELECT s.destination, 'pending' AS what, COUNT(*) AS messages,
       TIMESTAMPDIFF(MICROSECOND, MIN(s.recorded_at), UTC_TIMESTAMP(6)) AS age
FROM outbox_deliveries AS s
WHERE s.seq >= :first AND s.status = 'pending'
GROUP BY s.destination
