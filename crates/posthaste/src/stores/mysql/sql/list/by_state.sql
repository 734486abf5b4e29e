-- Candidates among what is parked, by `outbox_parked_state`.
SELECT DISTINCT seq, position FROM outbox_parked
WHERE state IN ({statuses}) AND position > :after
ORDER BY position LIMIT {limit}
