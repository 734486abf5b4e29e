-- The messages of transactions that were late ($1), sequence numbers in ($2, $3]; for each by `outbox_xid`, no more than $6.
SELECT o.*
FROM unnest($1::xid8[]) AS l (xid)
CROSS JOIN LATERAL (
    SELECT
        o.seq, o.partition, o.id, o.event_type, o.aggregate_type, o.aggregate_id, o.key, o.tenant, o.user_id,
        o.correlation_id, o.content_type, o.occurred_at, o.due_at, o.destination, o.max_attempts, o.source_stream,
        o.source_event, o.headers, o.payload,
        o.xid, CASE WHEN o.due_at IS NOT NULL THEN (extract(epoch FROM o.due_at - now()) * 1000)::bigint END
    FROM outbox AS o
    WHERE o.xid = l.xid AND o.seq > $2 AND o.seq <= $3 AND ($4 OR o.partition = ANY ($5))
    ORDER BY o.seq LIMIT $6) AS o;
