-- Candidates by `outbox_id`.
SELECT seq FROM outbox
WHERE id IN (SELECT value FROM json_each(:ids)) AND seq > :after
ORDER BY seq LIMIT :limit;
