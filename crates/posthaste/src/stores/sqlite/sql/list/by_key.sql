-- Candidates by `outbox_key`.
SELECT seq FROM outbox WHERE key = :key AND seq > :after ORDER BY seq LIMIT :limit;
