-- The worker that holds a partition, and what it reports. By primary keys.
SELECT l.worker, l.epoch, l.expires_at <= now() AS expired, w.report
FROM outbox_leases AS l LEFT JOIN outbox_workers AS w ON w.worker = l.worker
WHERE l.partition = $1 AND l.worker IS NOT NULL;
