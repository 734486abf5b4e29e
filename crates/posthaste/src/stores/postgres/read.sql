-- The messages of a run of ticks: sequence numbers in ($1, $2] of transactions from $3 up to $4, but not those that were running
-- then ($5). Walks `outbox_seq_index`.
SELECT
    o.seq, o.partition, o.id, o.event_type, o.aggregate_type, o.aggregate_id, o.key, o.tenant, o.user_id, o.correlation_id,
    o.content_type, o.occurred_at, o.due_at, o.destination, o.max_attempts, o.source_stream, o.source_event, o.headers,
    o.payload,
    o.xid, CASE WHEN o.due_at IS NOT NULL THEN (extract(epoch FROM o.due_at - now()) * 1000)::bigint END
FROM outbox AS o
WHERE o.seq > $1 AND o.seq <= $2 AND o.xid >= $3 AND o.xid < $4 AND o.xid <> ALL ($5) AND ($6 OR o.partition = ANY ($7))
ORDER BY o.seq
LIMIT $8;
