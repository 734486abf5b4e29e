-- Candidates by `outbox_aggregate`.
SELECT seq FROM outbox WHERE aggregate_id = $3 AND seq {beyond} $1 ORDER BY seq {direction} LIMIT $2;
