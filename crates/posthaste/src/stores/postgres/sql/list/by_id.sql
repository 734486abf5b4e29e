-- Candidates by `outbox_id`.
SELECT seq FROM outbox WHERE id = ANY ($3) AND seq > $1 ORDER BY seq LIMIT $2;
