-- Gives leases back, unless they were taken; by primary key. The epoch stays, so that the next one is higher. With $4 the worker
-- is gone.
WITH gone AS (
    DELETE FROM outbox_workers WHERE $4 AND worker = $1
)
UPDATE outbox_leases AS l SET worker = NULL, expires_at = '-infinity'
FROM unnest($2::integer[], $3::bigint[]) AS held (partition, epoch)
WHERE l.partition = held.partition AND l.epoch = held.epoch AND l.worker = $1;
