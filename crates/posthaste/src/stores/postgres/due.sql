-- Parked deliveries whose time has come, earliest first, except those that do not hold their key while another one does. Dead
-- ones have no time. Walks `outbox_parked_due` from the earliest and stops at the limit. With them, in the same snapshot, in how
-- many milliseconds the next one is due that is not due yet; so there is always a row for a destination that is known.
SELECT d.*, next.in_millis
FROM (
    SELECT (
        SELECT (extract(epoch FROM p.due_at - now()) * 1000)::bigint
        FROM outbox_parked AS p
        WHERE p.destination = $1 AND p.due_at > now() AND p.partition = ANY ($2)
          AND (p.holds OR p.key IS NULL OR NOT EXISTS (
              SELECT 1 FROM outbox_held_keys AS h
              WHERE h.destination = p.destination AND h.key = p.key AND h.tenant = p.tenant))
        ORDER BY p.due_at LIMIT 1) AS in_millis
    FROM outbox_destinations WHERE name = $1) AS next
LEFT JOIN LATERAL (
    SELECT
        o.seq, o.partition, o.id, o.event_type, o.aggregate_type, o.aggregate_id, o.key, o.tenant, o.user_id,
        o.correlation_id, o.content_type, o.occurred_at, o.due_at, o.destination, o.max_attempts, o.source_stream,
        o.source_event, o.headers, o.payload,
        o.xid, CASE WHEN o.due_at IS NOT NULL THEN (extract(epoch FROM o.due_at - now()) * 1000)::bigint END,
        p.tick, p.state, p.holds, p.attempts, p.kills, p.progress
    FROM outbox_parked AS p
    JOIN outbox AS o ON o.seq = p.seq
    WHERE p.destination = $1 AND p.due_at <= now() AND p.partition = ANY ($2)
      AND (p.holds OR p.key IS NULL OR NOT EXISTS (
          SELECT 1 FROM outbox_held_keys AS h WHERE h.destination = p.destination AND h.key = p.key AND h.tenant = p.tenant))
    ORDER BY p.due_at, p.tick, p.seq
    LIMIT $3) AS d ON true;
