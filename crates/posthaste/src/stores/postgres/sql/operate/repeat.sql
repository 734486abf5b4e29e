-- What was delivered is delivered once more, now, and holds no key. If someone else asked for the same, this changes nothing. Finds the
-- message by `outbox_seq_index`.
INSERT INTO outbox_parked (seq, destination, tick, partition, tenant, key, state, holds, attempts, kills, due_at)
SELECT seq, $2, outbox_tick(xid), partition, coalesce(tenant, ''),
       CASE key WHEN '' THEN aggregate_type || '/' || aggregate_id ELSE key END, 'replay', false, 0, 0, now()
FROM outbox WHERE seq = $1
ON CONFLICT (seq, destination) DO NOTHING;
