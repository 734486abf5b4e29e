-- Candidates by `outbox_aggregate`.
SELECT seq FROM outbox WHERE aggregate_id = :aggregate_id AND seq {beyond} :beyond ORDER BY seq {direction} LIMIT :limit;
