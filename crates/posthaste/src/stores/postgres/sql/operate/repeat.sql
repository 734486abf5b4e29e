-- What was delivered is delivered once more, now, and holds no key. If someone else asked for the same, this changes nothing. Finds the
-- messages by `outbox_seq_index`.
INSERT INTO outbox_parked (seq, destination, tick, partition, tenant, key, state, holds, attempts, kills, due_at)
SELECT o.seq, c.destination, outbox_tick(o.xid), o.partition, coalesce(o.tenant, ''),
       CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END, 'replay', false, 0, 0, now()
FROM unnest($1::bigint[], $2::text[]) AS c (seq, destination)
CROSS JOIN LATERAL (SELECT * FROM outbox WHERE seq = c.seq OFFSET 0) AS o
ON CONFLICT (seq, destination) DO NOTHING;
