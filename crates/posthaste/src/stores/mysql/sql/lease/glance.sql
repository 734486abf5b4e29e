-- What a worker needs to know to see that it has nothing to write: for how long it is announced, how many others are alive, how many
-- partitions are free, and whether this is still the server that the positions are of. Reads three small tables.
SELECT (SELECT TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), w.expires_at) FROM outbox_workers AS w WHERE w.worker = :worker)
       AS announced_for,
       (SELECT COUNT(*) FROM outbox_workers AS w WHERE w.expires_at > UTC_TIMESTAMP(6) AND w.worker <> :worker) AS others,
       EXISTS (SELECT 1 FROM outbox_leases AS l WHERE l.worker IS NULL OR l.expires_at <= UTC_TIMESTAMP(6)) AS any_free,
       s.server = {server} AS is_same_server
FROM outbox_state AS s WHERE s.one = 1
