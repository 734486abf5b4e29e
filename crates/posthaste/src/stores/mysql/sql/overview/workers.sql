-- Who is or was alive, what they said, and how many partitions they hold.
SELECT w.worker, w.expires_at > UTC_TIMESTAMP(6) AS alive, w.report,
       (SELECT COUNT(*) FROM outbox_leases AS l WHERE l.worker = w.worker AND l.expires_at > UTC_TIMESTAMP(6)) AS partitions
FROM outbox_workers AS w ORDER BY w.worker
