-- Makes the tables of the inbox, unless they are there, in the schema given or in the first one of the search path. One at a time:
-- of two transactions that make the same table at once, PostgreSQL would let one fail.
SELECT pg_advisory_xact_lock(7364, hashtext('inbox'));

CREATE TABLE IF NOT EXISTS {schema}.inbox (
    consumer text NOT NULL,
    message  uuid NOT NULL,
    seen_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, message)
);

CREATE INDEX IF NOT EXISTS inbox_seen_at ON {schema}.inbox (consumer, seen_at);

-- The newest position seen of each key, for consumers that ask for it.
CREATE TABLE IF NOT EXISTS {schema}.inbox_order (
    consumer text NOT NULL,
    tenant   text NOT NULL,
    key      text NOT NULL,
    tick     bigint NOT NULL,
    seq      bigint NOT NULL,
    PRIMARY KEY (consumer, key, tenant)
);
