-- Candidates by `outbox_aggregate`.
SELECT o.seq, r.position + (o.seq - r.first_seq) AS position
FROM outbox AS o JOIN outbox_ranges AS r ON r.block = o.seq DIV 1024 AND r.first_seq <= o.seq AND r.last_seq >= o.seq
WHERE o.aggregate_id = :aggregate_id AND r.position + (o.seq - r.first_seq) {beyond} :beyond
ORDER BY position {direction} LIMIT {limit}
