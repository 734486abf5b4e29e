-- The outbox that most projects write: rows with a status, and an index of those that are still to be sent.
CREATE TABLE claims (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id     uuid NOT NULL,
    event_type     text NOT NULL,
    aggregate_type text NOT NULL,
    aggregate_id   text NOT NULL,
    correlation_id text,
    content_type   text NOT NULL,
    occurred_at    timestamptz NOT NULL,
    payload        bytea NOT NULL,
    status         text NOT NULL DEFAULT 'pending',
    claimed_by     text,
    claimed_at     timestamptz,
    sent_at        timestamptz
);
INSERT INTO claims (message_id, event_type, aggregate_type, aggregate_id, correlation_id, content_type, occurred_at, payload)
SELECT id, event_type, aggregate_type, aggregate_id, correlation_id, content_type, occurred_at, payload
FROM posthaste.outbox ORDER BY seq;
CREATE INDEX claims_pending ON claims (id) WHERE status = 'pending';
