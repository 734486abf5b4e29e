-- Candidates among what is parked, by `outbox_parked_state`.
SELECT DISTINCT seq FROM outbox_parked
WHERE state IN (SELECT value FROM json_each(:states)) AND (:destination IS NULL OR destination = :destination) AND seq {beyond} :beyond
ORDER BY seq {direction} LIMIT :limit;
