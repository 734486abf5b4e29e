-- The outbox that most projects write: rows with a status, and an index of what is due by status.
CREATE TABLE claims (
    id             uuid PRIMARY KEY,
    event_type     text NOT NULL,
    aggregate_type text NOT NULL,
    aggregate_id   text NOT NULL,
    correlation_id text,
    content_type   text NOT NULL,
    payload        bytea NOT NULL,
    status         text NOT NULL DEFAULT 'PENDING',
    attempts       integer NOT NULL DEFAULT 0,
    due_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
    locked_by      text,
    locked_at      timestamptz,
    sent_at        timestamptz,
    last_error     text
);
INSERT INTO claims (id, event_type, aggregate_type, aggregate_id, correlation_id, content_type, payload)
SELECT id, event_type, aggregate_type, aggregate_id, correlation_id, content_type, payload
FROM posthaste.outbox ORDER BY seq;
CREATE INDEX claims_due ON claims (status, due_at);
