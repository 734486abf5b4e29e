-- Partitions that nobody holds, and whether someone let them expire. Inside the transaction that takes them, so nobody else
-- gets the same.
SELECT partition, worker IS NOT NULL AS expired FROM outbox_leases
WHERE worker IS NULL OR expires_at <= :now
ORDER BY partition
LIMIT :want;
