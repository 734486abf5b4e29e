-- Candidates among what is parked, by `outbox_parked_state`.
SELECT DISTINCT seq FROM outbox_parked
WHERE state IN (SELECT value FROM json_each(:states)) AND seq > :after
ORDER BY seq LIMIT :limit;
