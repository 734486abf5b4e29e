-- Everything is a candidate, by primary key.
SELECT seq FROM outbox WHERE seq {beyond} :beyond ORDER BY seq {direction} LIMIT :limit;
