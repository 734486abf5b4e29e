-- Candidates behind held keys, by `outbox_key`.
SELECT DISTINCT o.seq, r.position + (o.seq - r.first_seq) AS position
FROM outbox_held_keys AS h
JOIN outbox AS o ON o.`key` = h.`key` AND IFNULL(o.tenant, '') = h.tenant
JOIN outbox_ranges AS r ON r.block = o.seq DIV 1024 AND r.first_seq <= o.seq AND r.last_seq >= o.seq
WHERE r.position + (o.seq - r.first_seq) > h.`after` AND r.position + (o.seq - r.first_seq) <= h.`until`
  AND r.position + (o.seq - r.first_seq) {beyond} :beyond
ORDER BY position {direction} LIMIT {limit}
