-- Who holds a partition, and what they say about themselves; by primary keys.
SELECT l.worker AS worker, l.epoch AS epoch, l.expires_at <= UTC_TIMESTAMP(6) AS expired, w.report AS report
FROM outbox_leases AS l LEFT JOIN outbox_workers AS w ON w.worker = l.worker
WHERE l.`partition` = :partition AND l.worker IS NOT NULL
