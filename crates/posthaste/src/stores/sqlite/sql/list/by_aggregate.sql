-- Candidates by `outbox_aggregate`.
SELECT seq FROM outbox WHERE aggregate_id = :aggregate_id AND seq > :after ORDER BY seq LIMIT :limit;
