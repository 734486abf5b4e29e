-- Everything in (:after, :until] of these partitions, in order; the caller stops when it has enough. Walks the table by its
-- primary key: one descent, then row after row, whatever the number of partitions. Whoever holds all of them says so, which
-- saves the look at each row.
SELECT
    o.seq, o.partition, o.id, o.event_type, o.aggregate_type, o.aggregate_id, o.key, o.tenant, o.user_id, o.correlation_id,
    o.content_type, o.occurred_at, o.due_at, o.destination, o.max_attempts, o.source_stream, o.source_event, o.headers,
    o.payload
FROM outbox AS o
WHERE o.seq > :after AND o.seq <= :until
  AND (:all OR o.partition IN (SELECT value FROM json_each(:partitions)))
ORDER BY o.seq;
