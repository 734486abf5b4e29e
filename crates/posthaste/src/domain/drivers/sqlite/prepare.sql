-- Makes the tables of the inbox, unless they are there.
CREATE TABLE IF NOT EXISTS {schema}.inbox (
    consumer TEXT NOT NULL,
    message  TEXT NOT NULL,
    -- Milliseconds since 1970 in UTC.
    seen_at  INTEGER NOT NULL,
    PRIMARY KEY (consumer, message)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS {schema}.inbox_seen_at ON inbox (consumer, seen_at);

-- The newest position seen of each key, for consumers that ask for it.
CREATE TABLE IF NOT EXISTS {schema}.inbox_order (
    consumer TEXT NOT NULL,
    tenant   TEXT NOT NULL,
    key      TEXT NOT NULL,
    tick     INTEGER NOT NULL,
    seq      INTEGER NOT NULL,
    PRIMARY KEY (consumer, key, tenant)
) STRICT, WITHOUT ROWID;
