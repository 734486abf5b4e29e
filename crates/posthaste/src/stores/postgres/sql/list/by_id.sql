-- Candidates by `outbox_id`.
SELECT seq FROM outbox WHERE id = ANY ($3) AND seq {beyond} $1 ORDER BY seq {direction} LIMIT $2;
