-- What was delivered is delivered once more, now, and holds nobody; by primary key.
INSERT INTO outbox_parked (seq, destination, partition, tenant, key, state, holds, attempts, kills, due_at)
SELECT seq, :destination, partition, coalesce(tenant, ''), key, 'replay', 0, 0, 0, :now FROM outbox WHERE seq = :seq;
