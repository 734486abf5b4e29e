-- Parked deliveries whose time has come, earliest first, except those that do not hold their key while another one does. Dead
-- ones have no time. Walks `outbox_parked_due` from the earliest and stops at the limit; the rest by primary keys.
SELECT {message_columns},
    p.position, p.state, p.holds, p.attempts, p.kills, p.progress, UTC_TIMESTAMP(6) AS now
FROM outbox_parked AS p FORCE INDEX (outbox_parked_due)
LEFT JOIN outbox_held_keys AS h FORCE INDEX (PRIMARY)
    ON h.destination = p.destination AND h.scope = UNHEX(SHA2(CONCAT(p.tenant, X'1F', p.`key`), 256))
STRAIGHT_JOIN outbox AS o FORCE INDEX (PRIMARY) ON o.seq = p.seq
WHERE p.destination = :destination AND p.due_at <= :now AND p.`partition` IN ({partitions})
  AND (p.holds OR h.scope IS NULL)
ORDER BY p.due_at, p.position
LIMIT :limit
