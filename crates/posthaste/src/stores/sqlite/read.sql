-- Everything in (:after, :until], in order; the caller passes over partitions it did not ask for and stops when it has enough.
-- Walks the table by its primary key: one descent, then row after row, whatever the number of partitions.
SELECT
    o.seq, o.partition, o.id, o.event_type, o.aggregate_type, o.aggregate_id, o.key, o.tenant, o.user_id, o.correlation_id,
    o.content_type, o.occurred_at, o.due_at, o.destination, o.max_attempts, o.source_stream, o.source_event, o.headers,
    o.payload
FROM outbox AS o
WHERE o.seq > :after AND o.seq <= :until
ORDER BY o.seq;
