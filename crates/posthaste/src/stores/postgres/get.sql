-- One message by `outbox_id`. What is in no tick yet will be in the next one.
SELECT
    o.seq, o.partition, o.id, o.event_type, o.aggregate_type, o.aggregate_id, o.key, o.tenant, o.user_id, o.correlation_id,
    o.content_type, o.occurred_at, o.due_at, o.destination, o.max_attempts, o.source_stream, o.source_event, o.headers,
    o.payload,
    o.xid, NULL::bigint,
    coalesce(outbox_tick(o.xid), (SELECT max(n) + 1 FROM outbox_ticks))
FROM outbox AS o
WHERE o.id = $1
ORDER BY o.seq LIMIT 1;
