-- The workers that are or were alive, what they report, and how many partitions they hold. Reads two small tables.
SELECT w.worker, w.expires_at > now() AS alive, w.report,
       (SELECT count(*) FROM outbox_leases AS l WHERE l.worker = w.worker AND l.expires_at > now()) AS partitions
FROM outbox_workers AS w ORDER BY w.worker COLLATE "C";
