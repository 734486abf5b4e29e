-- Candidates by `outbox_aggregate`.
SELECT seq FROM outbox WHERE aggregate_id = $3 AND seq > $1 ORDER BY seq LIMIT $2;
