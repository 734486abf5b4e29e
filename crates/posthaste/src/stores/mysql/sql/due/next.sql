-- When the next parked delivery is due that is not due yet, under the same conditions as `due/due.sql`, by the same index.
SELECT TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), p.due_at) AS due_in
FROM outbox_parked AS p FORCE INDEX (outbox_parked_due)
LEFT JOIN outbox_held_keys AS h FORCE INDEX (PRIMARY)
    ON h.destination = p.destination AND h.scope = UNHEX(SHA2(CONCAT(p.tenant, X'1F', p.`key`), 256))
WHERE p.destination = :destination AND p.due_at > :now AND p.`partition` IN ({partitions})
  AND (p.holds OR h.scope IS NULL)
ORDER BY p.due_at
LIMIT 1
