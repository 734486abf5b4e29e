-- Stores a message, unless its origin (`outbox_source`) or its id (`outbox_id`) was stored before. Everything else that is
-- wrong with it is an error. The last parameter is the partition, so that the trigger has nothing to do.
INSERT INTO outbox (
    id, event_type, aggregate_type, aggregate_id, key, tenant, user_id, correlation_id, content_type, occurred_at, due_at,
    destination, max_attempts, source_stream, source_event, headers, payload, partition
) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
ON CONFLICT DO NOTHING;
