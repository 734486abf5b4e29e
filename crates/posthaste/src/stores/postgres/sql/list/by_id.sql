-- Candidates by `outbox_id`, which alone serves the inner part.
SELECT seq FROM (SELECT seq FROM outbox WHERE id = ANY ($3) OFFSET 0) AS found
WHERE seq {beyond} $1 ORDER BY seq {direction} LIMIT $2;
