-- Parked deliveries whose time has come, earliest first, except those that do not hold their key while another one does. Dead
-- ones have no time. Walks `outbox_parked_due` from the earliest and stops at the limit.
SELECT {message_columns},
    p.position, p.state, p.holds, p.attempts, p.kills, p.progress, UTC_TIMESTAMP(6) AS now
FROM outbox_parked AS p FORCE INDEX (outbox_parked_due)
JOIN outbox AS o ON o.seq = p.seq
WHERE p.destination = :destination AND p.due_at <= :now AND p.`partition` IN ({partitions})
  AND (p.holds OR NOT EXISTS (
      SELECT 1 FROM outbox_held_keys AS h WHERE h.destination = p.destination AND h.`key` = p.`key` AND h.tenant = p.tenant))
ORDER BY p.due_at, p.position
LIMIT :limit
