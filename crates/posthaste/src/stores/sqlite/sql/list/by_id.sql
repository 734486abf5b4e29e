-- Candidates by `outbox_id`.
SELECT seq FROM outbox
WHERE id IN (SELECT value FROM json_each(:ids)) AND seq {beyond} :beyond
ORDER BY seq {direction} LIMIT :limit;
