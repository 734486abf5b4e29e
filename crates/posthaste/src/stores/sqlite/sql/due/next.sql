-- When the next parked delivery is due that is not due yet, under the same conditions as `due/due.sql`, by the same index.
SELECT p.due_at AS due_at
FROM outbox_parked AS p INDEXED BY outbox_parked_due
WHERE p.destination = :destination AND p.due_at > :now
  AND p.partition IN (SELECT value FROM json_each(:partitions))
  AND (p.holds OR NOT EXISTS (
      SELECT 1 FROM outbox_held_keys AS h WHERE h.destination = p.destination AND h.key = p.key AND h.tenant = p.tenant))
ORDER BY p.due_at
LIMIT 1;
