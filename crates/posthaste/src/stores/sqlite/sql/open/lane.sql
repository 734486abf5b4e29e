-- The cursor of a lane, if the lease is still held under its epoch; both by primary key.
SELECT c.low AS low, c.done AS done
FROM outbox_leases AS l
JOIN outbox_cursors AS c ON c.partition = l.partition AND c.destination = :destination
WHERE l.partition = :partition AND l.epoch = :epoch AND l.worker IS NOT NULL;
