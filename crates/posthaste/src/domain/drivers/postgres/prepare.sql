-- Makes the tables of the inbox in the first schema of the search path, unless they are there. One at a time: of two
-- transactions that make the same table at once, PostgreSQL would let one fail.
SELECT pg_advisory_xact_lock(7364, hashtext('inbox'));

CREATE TABLE IF NOT EXISTS inbox (
    consumer text NOT NULL,
    message  uuid NOT NULL,
    seen_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, message)
);

CREATE INDEX IF NOT EXISTS inbox_seen_at ON inbox (consumer, seen_at);

-- The newest position seen of each key, for consumers that ask for it.
CREATE TABLE IF NOT EXISTS inbox_order (
    consumer text NOT NULL,
    tenant   text NOT NULL,
    key      text NOT NULL,
    tick     bigint NOT NULL,
    seq      bigint NOT NULL,
    PRIMARY KEY (consumer, key, tenant)
);
