-- Candidates among what is parked, by `outbox_parked_state`.
SELECT DISTINCT seq, position FROM outbox_parked FORCE INDEX (outbox_parked_state)
WHERE state IN ({statuses}) AND (:destination IS NULL OR destination = :destination) AND position {beyond} :beyond
ORDER BY position {direction} LIMIT {limit}
