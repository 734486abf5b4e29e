-- The messages of one key in (:after, :until] that are not parked for :destination on their own, in order.
-- Reads only them, by `outbox_key`.
SELECT
    o.seq, o.partition, o.id, o.event_type, o.aggregate_type, o.aggregate_id, o.key, o.tenant, o.user_id, o.correlation_id,
    o.content_type, o.occurred_at, o.due_at, o.destination, o.max_attempts, o.source_stream, o.source_event, o.headers,
    o.payload
FROM outbox AS o
WHERE o.key = :key AND o.tenant IS :tenant AND o.partition = :partition AND o.seq > :after AND o.seq <= :until
  AND NOT EXISTS (SELECT 1 FROM outbox_parked AS p WHERE p.seq = o.seq AND p.destination = :destination)
ORDER BY o.seq
LIMIT :limit;
