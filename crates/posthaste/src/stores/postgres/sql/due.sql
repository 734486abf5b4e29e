-- Parked deliveries whose time has come, earliest first, except those that do not hold their key while another one does. Dead
-- ones have no time. Walks `outbox_parked_due` from the earliest and stops at the limit. With them, in the same snapshot, in how
-- many milliseconds the next one is due that is not due yet; so there is always a row for a destination that is known.
SELECT d.*, next.next_in
FROM (
    SELECT (
        SELECT (extract(epoch FROM p.due_at - now()) * 1000)::bigint
        FROM outbox_parked AS p
        WHERE p.destination = $1 AND p.due_at > now() AND p.partition = ANY ($2)
          AND (p.holds OR p.key IS NULL OR NOT EXISTS (
              SELECT 1 FROM outbox_held_keys AS h
              WHERE h.destination = p.destination AND h.key = p.key AND h.tenant = p.tenant))
        ORDER BY p.due_at LIMIT 1) AS next_in
    FROM outbox_destinations WHERE name = $1) AS next
LEFT JOIN LATERAL (
    SELECT {message_columns},
        p.tick, p.state, p.holds, p.attempts, p.kills, p.progress
    FROM outbox_parked AS p
    JOIN outbox AS o ON o.seq = p.seq
    WHERE p.destination = $1 AND p.due_at <= now() AND p.partition = ANY ($2)
      AND (p.holds OR p.key IS NULL OR NOT EXISTS (
          SELECT 1 FROM outbox_held_keys AS h WHERE h.destination = p.destination AND h.key = p.key AND h.tenant = p.tenant))
    ORDER BY p.due_at, p.tick, p.seq
    LIMIT $3) AS d ON true;
