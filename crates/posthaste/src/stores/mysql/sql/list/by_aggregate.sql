-- Candidates by `outbox_aggregate`.
SELECT o.seq, r.position + (o.seq - r.first_seq) AS position
FROM outbox AS o FORCE INDEX (outbox_aggregate)
STRAIGHT_JOIN outbox_levels AS v
STRAIGHT_JOIN outbox_ranges AS r FORCE INDEX (outbox_ranges_cell)
    ON r.cell = o.seq DIV v.size * 4 + v.level AND r.first_seq <= o.seq AND r.last_seq >= o.seq
WHERE o.aggregate_id = :aggregate_id AND r.position + (o.seq - r.first_seq) {beyond} :beyond
ORDER BY position {direction} LIMIT {limit}
