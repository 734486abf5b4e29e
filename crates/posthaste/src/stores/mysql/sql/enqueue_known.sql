-- As `enqueue.sql`, but a message whose origin (`outbox_origin`) or id (`outbox_id`) was stored before is left as it is.
INSERT INTO outbox (
    id, event_type, aggregate_type, aggregate_id, `key`, tenant, user_id, correlation_id, content_type, occurred_at, due_at,
    destination, max_attempts, source_stream, source_event, headers, payload
) VALUES {rows}
ON DUPLICATE KEY UPDATE event_type = outbox.event_type
