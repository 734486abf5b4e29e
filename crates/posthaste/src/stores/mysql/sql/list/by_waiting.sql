-- Candidates behind held keys, by `outbox_key`. Reads all of them, and puts them in order.
SELECT DISTINCT o.seq, r.position + (o.seq - r.first_seq) AS position
FROM outbox_held_keys AS h
STRAIGHT_JOIN outbox AS o FORCE INDEX (outbox_key) ON o.`key` = h.`key` AND IFNULL(o.tenant, '') = h.tenant
STRAIGHT_JOIN outbox_levels AS v
STRAIGHT_JOIN outbox_ranges AS r FORCE INDEX (outbox_ranges_cell)
    ON r.cell = o.seq DIV v.size * 4 + v.level AND r.first_seq <= o.seq AND r.last_seq >= o.seq
WHERE r.position + (o.seq - r.first_seq) > h.`after` AND r.position + (o.seq - r.first_seq) <= h.`until`
  AND r.position + (o.seq - r.first_seq) {beyond} :beyond
ORDER BY position {direction} LIMIT {limit}
