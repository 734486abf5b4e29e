-- Candidates behind held keys, by `outbox_key`.
SELECT DISTINCT o.seq AS seq
FROM outbox_held_keys AS h
JOIN outbox AS o ON o.key = h.key AND o.tenant IS nullif(h.tenant, '') AND o.seq > h.after AND o.seq <= h.until
WHERE o.seq {beyond} :beyond
ORDER BY o.seq {direction} LIMIT :limit;
