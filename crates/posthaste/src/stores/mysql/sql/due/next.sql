-- When the next parked delivery is due that is not due yet, under the same conditions as `due/due.sql`, by the same index.
SELECT TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), p.due_at) AS due_in
FROM outbox_parked AS p FORCE INDEX (outbox_parked_due)
WHERE p.destination = :destination AND p.due_at > :now AND p.`partition` IN ({partitions})
  AND (p.holds OR NOT EXISTS (
      SELECT 1 FROM outbox_held_keys AS h WHERE h.destination = p.destination AND h.`key` = p.`key` AND h.tenant = p.tenant))
ORDER BY p.due_at
LIMIT 1
