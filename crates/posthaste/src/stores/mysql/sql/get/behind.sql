-- The parked delivery at the head of a held key, by `outbox_parked_head`.
SELECT o.id AS id, p.state AS state, p.error AS error, p.due_at AS due_at
FROM outbox_parked AS p FORCE INDEX (outbox_parked_head) STRAIGHT_JOIN outbox AS o ON o.seq = p.seq
WHERE p.holds AND p.destination = :destination AND p.`key` = :key AND p.tenant = :tenant
ORDER BY p.position LIMIT 1
