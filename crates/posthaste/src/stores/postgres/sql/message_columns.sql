-- The columns of a message `o`, as every statement that returns messages has them first: what was written, the transaction that
-- wrote it, and in how many milliseconds it is due.
o.seq, o.partition, o.id, o.event_type, o.aggregate_type, o.aggregate_id, o.key, o.tenant, o.user_id, o.correlation_id,
o.content_type, o.occurred_at, o.due_at, o.destination, o.max_attempts, o.source_stream, o.source_event, o.headers, o.payload,
o.xid, CASE WHEN o.due_at IS NOT NULL THEN (extract(epoch FROM o.due_at - now()) * 1000)::bigint END AS due_in
