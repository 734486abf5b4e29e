-- Stores messages in the caller's transaction, in the order given. Everything that is wrong with one is an error. Writes to the end of
-- the table and of `outbox_id`.
INSERT INTO outbox (
    id, event_type, aggregate_type, aggregate_id, `key`, tenant, user_id, correlation_id, content_type, occurred_at, due_at,
    destination, max_attempts, source_stream, source_event, headers, payload
) VALUES {rows}
