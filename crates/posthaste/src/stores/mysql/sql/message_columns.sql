-- The columns of a message, once for all statements that read messages.
    o.seq, o.`partition`, o.id, o.event_type, o.aggregate_type, o.aggregate_id, o.`key`, o.tenant, o.user_id, o.correlation_id,
    o.content_type, CASE WHEN o.occurred_at IS NULL THEN o.recorded_at ELSE o.occurred_at END AS occurred_at, o.due_at, o.destination, o.max_attempts, o.source_stream, o.source_event, o.headers, o.payload
