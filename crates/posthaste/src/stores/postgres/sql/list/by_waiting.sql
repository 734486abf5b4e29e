-- Candidates behind held keys, by `outbox_key`.
SELECT DISTINCT o.seq
FROM outbox_held_keys AS h
JOIN outbox AS o ON o.key IS NOT NULL AND coalesce(o.tenant, '') = h.tenant
    AND CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END = h.key
WHERE o.seq {beyond} $1
ORDER BY o.seq {direction} LIMIT $2;
