-- Announces the worker and takes up to $3 partitions that nobody holds, each under a new epoch, higher than all before. Two workers
-- at once do not wait for each other and never get the same partition. `expired_before` is true where the last holder let its lease
-- expire. By primary keys.
WITH announced AS (
    INSERT INTO outbox_workers (worker, expires_at) VALUES ($1, now() + $2::bigint * interval '1 microsecond')
    ON CONFLICT (worker) DO UPDATE SET expires_at = excluded.expires_at
), forgotten AS (
    -- Workers that ended long ago without a word.
    DELETE FROM outbox_workers WHERE expires_at < now() - interval '1 day' AND worker <> $1
), free AS (
    SELECT partition, worker IS NOT NULL AS expired FROM outbox_leases
    WHERE worker IS NULL OR expires_at <= now()
    ORDER BY partition LIMIT $3 FOR UPDATE SKIP LOCKED
)
UPDATE outbox_leases AS l
SET worker = $1, epoch = l.epoch + 1, expires_at = now() + $2::bigint * interval '1 microsecond'
FROM free WHERE l.partition = free.partition
RETURNING l.partition, l.epoch, free.expired AS expired_before;
