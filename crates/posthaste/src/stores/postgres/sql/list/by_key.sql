-- Candidates by `outbox_key`.
SELECT seq FROM outbox
WHERE key IS NOT NULL AND CASE key WHEN '' THEN aggregate_type || '/' || aggregate_id ELSE key END = $3 AND seq {beyond} $1
ORDER BY seq {direction} LIMIT $2;
