-- Who is or was alive, what they said, and how many partitions they hold.
SELECT w.worker AS worker, w.expires_at > :now AS alive, w.report AS report,
       (SELECT count(*) FROM outbox_leases AS l WHERE l.worker = w.worker AND l.expires_at > :now) AS partitions
FROM outbox_workers AS w ORDER BY w.worker;
