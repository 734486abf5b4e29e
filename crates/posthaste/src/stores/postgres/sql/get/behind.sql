-- The parked delivery at the head of a held key, by `outbox_parked_head`.
SELECT o.id, p.state::text AS state, p.error, p.due_at
FROM outbox_parked AS p JOIN outbox AS o ON o.seq = p.seq
WHERE p.holds AND p.destination = $1 AND p.key = $2 AND p.tenant = $3
ORDER BY p.tick, p.seq LIMIT 1;
