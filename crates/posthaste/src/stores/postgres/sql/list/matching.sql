-- Of these messages, the deliveries that match, in order; one that nobody takes appears once, without a destination and so
-- without a status. A parameter that is NULL does not restrict. By `outbox_seq_index`: finding candidates is up to `by_*.sql`.
-- What is in no tick yet will be in the next one.
SELECT coalesce(outbox_tick(o.xid), (SELECT max(n) + 1 FROM outbox_ticks)) AS tick, o.seq, o.id, o.event_type, o.aggregate_type,
       o.aggregate_id, CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END AS key, o.tenant,
       o.occurred_at,
       s.destination, s.status, coalesce(s.attempts, 0) AS attempts, s.last_error, s.due_at
FROM outbox AS o
LEFT JOIN LATERAL (
    SELECT destination, status, attempts, last_error, due_at FROM outbox_status AS s WHERE s.seq = o.seq OFFSET 0) AS s ON true
WHERE o.seq = ANY ($1)
  AND ($2::text[] IS NULL OR s.status = ANY ($2))
  AND ($3::text IS NULL OR s.destination = $3)
  AND ($4::uuid[] IS NULL OR o.id = ANY ($4))
  AND ($5::text IS NULL OR o.event_type LIKE $5)
  AND ($6::text IS NULL OR CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END = $6)
  AND ($7::text IS NULL OR o.aggregate_type = $7)
  AND ($8::text IS NULL OR o.aggregate_id = $8)
  AND ($9::text IS NULL OR o.tenant = $9)
  AND ($10::timestamptz IS NULL OR o.occurred_at >= $10)
  AND ($11::timestamptz IS NULL OR o.occurred_at < $11)
  AND ($12::text IS NULL OR s.last_error LIKE $12)
ORDER BY o.seq, s.destination;
