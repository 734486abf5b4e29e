-- Candidates by `outbox_key`.
SELECT seq FROM outbox WHERE key = :key AND seq {beyond} :beyond ORDER BY seq {direction} LIMIT :limit;
