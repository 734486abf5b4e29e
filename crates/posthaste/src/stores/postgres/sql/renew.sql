-- Extends leases, even late ones, unless they were given back or taken. Keeps what the worker reports. By primary keys.
WITH alive AS (
    INSERT INTO outbox_workers (worker, expires_at, report) VALUES ($1, now() + $2::bigint * interval '1 microsecond', $3)
    ON CONFLICT (worker) DO UPDATE SET expires_at = excluded.expires_at, report = excluded.report
)
UPDATE outbox_leases AS l SET expires_at = now() + $2::bigint * interval '1 microsecond'
FROM unnest($4::integer[], $5::bigint[]) AS held (partition, epoch)
WHERE l.partition = held.partition AND l.epoch = held.epoch AND l.worker = $1
RETURNING l.partition;
