-- The journal of version 1, as it was released. Never changed: tests migrate from it.
-- The journal: one row per message, written in the application's transaction and never changed.
--
-- Any language may write: INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload) VALUES (…), in the
-- transaction of the change it tells about. Everything else has a default; `seq`, `partition` and `recorded_at` are not for
-- writers. Needs SQLite 3.37 (STRICT). The names of the
-- constraints are the error messages that writers see; they hold for rows that the library has not checked and placed, which it
-- says by naming the partition.
CREATE TABLE outbox (
    -- One writer at a time, so this is the order of the commits. AUTOINCREMENT: never used twice, not even after a purge.
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Filled in by `outbox_fill_in`; NULL only inside the statement that inserts.
    partition      INTEGER CONSTRAINT "partition is not for writers" CHECK (partition BETWEEN 0 AND 65535),
    event_type     TEXT NOT NULL,
    aggregate_type TEXT NOT NULL,
    aggregate_id   TEXT NOT NULL,
    -- The ordering scope: the aggregate unless given; NULL asks for no order.
    key            TEXT DEFAULT '',
    tenant         TEXT,
    -- A UUIDv7: milliseconds, then chance.
    id             TEXT NOT NULL DEFAULT (lower(printf('%08x-%04x-7%s-%s%s-%s',
        CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) >> 16,
        CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) & 65535,
        substr(hex(randomblob(2)), 2),
        substr('89ab', 1 + (random() & 3), 1), substr(hex(randomblob(2)), 2),
        hex(randomblob(6))))),
    user_id        TEXT,
    correlation_id TEXT,
    -- Times are milliseconds since 1970 in UTC.
    occurred_at    INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)),
    recorded_at    INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)),
    -- Not before this time.
    due_at         INTEGER,
    -- Only to this destination, whatever the routes say.
    destination    TEXT,
    max_attempts   INTEGER,
    source_stream  TEXT,
    source_event   TEXT,
    content_type   TEXT NOT NULL DEFAULT 'application/json',
    -- [["name","value"], …], or {"name": "value", …} where neither order nor repeats matter.
    headers        TEXT,
    -- Text or a blob. Last, so that a scan for the columns above never follows a large payload to its overflow pages.
    payload        ANY NOT NULL,
    CONSTRAINT "event_type may contain only letters, digits and . _ : / -" CHECK (
        partition IS NOT NULL
        -- GLOB stops at a NUL.
        OR (event_type <> '' AND event_type NOT GLOB '*[^A-Za-z0-9._:/-]*' AND instr(event_type, char(0)) = 0)),
    CONSTRAINT "aggregate_type and aggregate_id must not be empty" CHECK (
        partition IS NOT NULL OR (aggregate_type <> '' AND aggregate_id <> '')),
    -- Also because the trigger below takes time that grows with the square of what it hashes.
    CONSTRAINT "key, tenant, aggregate_type and aggregate_id may have 1,000 bytes each" CHECK (
        partition IS NOT NULL
        OR max(length(CAST(coalesce(key, '') AS BLOB)), length(CAST(coalesce(tenant, '') AS BLOB)),
               length(CAST(aggregate_type AS BLOB)), length(CAST(aggregate_id AS BLOB))) <= 1000),
    CONSTRAINT "tenant must not be empty: leave it out" CHECK (
        partition IS NOT NULL OR tenant <> ''),
    -- Whoever writes it: the one column without which a row cannot be read.
    CONSTRAINT "id must be a UUID in lower case" CHECK (
        id GLOB '????????-????-????-????-????????????' AND id NOT GLOB '*[^0-9a-f-]*'
        AND length(replace(id, '-', '')) = 32 AND instr(id, char(0)) = 0),
    CONSTRAINT "max_attempts must be at least 1" CHECK (
        partition IS NOT NULL OR max_attempts >= 1),
    CONSTRAINT "source_stream and source_event are given together or not at all" CHECK (
        partition IS NOT NULL OR (source_stream IS NULL) = (source_event IS NULL)),
    CONSTRAINT "headers must be JSON" CHECK (
        partition IS NOT NULL OR headers IS NULL OR json_valid(headers)),
    CONSTRAINT "payload must be text or a blob" CHECK (
        partition IS NOT NULL OR typeof(payload) IN ('text', 'blob'))
) STRICT;

CREATE UNIQUE INDEX outbox_id ON outbox (id);

-- For a held key that catches up, and for whoever looks a key up.
CREATE INDEX outbox_key ON outbox (key, tenant) WHERE key IS NOT NULL;

-- For the history of an aggregate.
CREATE INDEX outbox_aggregate ON outbox (aggregate_id, aggregate_type);

-- The idempotency fence: one message per foreign event and destination, for as long as the message is kept. Costs nothing for
-- messages that were born here.
CREATE UNIQUE INDEX outbox_source ON outbox (source_stream, source_event, coalesce(destination, ''))
    WHERE source_stream IS NOT NULL;

-- What this journal is: one row.
CREATE TABLE outbox_schema (
    version    INTEGER NOT NULL,
    -- Fixed for ever: another number would put the messages of a key into another partition.
    partitions INTEGER NOT NULL
) STRICT;

-- Fills in what the library does for its own messages: the key, and the partition of (tenant, key), or of the id where no order
-- is asked. The same FNV-1a as `journal::partition_of`, in two halves of 32 bits
-- because SQLite has neither unsigned numbers nor overflow: prime = 2^40 + 435, and a XOR b = a + b - 2 (a AND b).
CREATE TRIGGER outbox_fill_in AFTER INSERT ON outbox WHEN NEW.partition IS NULL
BEGIN
    UPDATE outbox SET key = aggregate_type || '/' || aggregate_id WHERE seq = NEW.seq AND key = '';
    UPDATE outbox SET partition = (
        WITH RECURSIVE fnv (partitions, rest, byte, high, low) AS (
            SELECT (SELECT partitions FROM outbox_schema),
                   CASE WHEN key IS NULL THEN upper(replace(id, '-', ''))
                        ELSE hex(coalesce(tenant, '')) || '1F' || hex(key) END,
                   NULL, 0xcbf29ce4, 0x84222325
            UNION ALL
            SELECT partitions,
                   CASE rest WHEN '' THEN NULL ELSE substr(rest, 3) END,
                   16 * instr('123456789ABCDEF', substr(rest, 1, 1)) + instr('123456789ABCDEF', substr(rest, 2, 1)),
                   CASE WHEN byte IS NULL THEN high
                        ELSE (435 * high + (435 * (low + byte - 2 * (low & byte)) >> 32)
                              + (low + byte - 2 * (low & byte) << 8)) & 0xffffffff END,
                   CASE WHEN byte IS NULL THEN low
                        ELSE 435 * (low + byte - 2 * (low & byte)) & 0xffffffff END
            FROM fnv WHERE rest IS NOT NULL
        )
        SELECT (high % partitions * (4294967296 % partitions)
                + (low + high - 2 * (low & high)) % partitions) % partitions
        FROM fnv WHERE rest IS NULL
    ) WHERE seq = NEW.seq;
END;
-- Everything the relay keeps beside the journal. All of it is small: rows per destination, partition, worker and exception,
-- never per delivered message.

-- Destinations that were registered once; `active` are those the latest registration named.
CREATE TABLE outbox_destinations (
    name   TEXT PRIMARY KEY,
    active INTEGER NOT NULL,
    paused INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Event types a destination takes, as GLOB patterns.
CREATE TABLE outbox_routes (
    destination TEXT NOT NULL,
    pattern     TEXT NOT NULL,
    PRIMARY KEY (destination, pattern)
) STRICT, WITHOUT ROWID;

-- How far a lane got: everything up to `low` is settled, and so is what `done` lists: offsets from `low` in hexadecimal, each
-- between commas (',1,a,2f,'), which is short, and a status query can look a position up in it.
CREATE TABLE outbox_cursors (
    partition   INTEGER NOT NULL,
    destination TEXT NOT NULL,
    low         INTEGER NOT NULL,
    done        TEXT NOT NULL DEFAULT '',
    updated_at  INTEGER NOT NULL,
    -- Time of the newest of `outbox_marks`.
    marked_at   INTEGER NOT NULL,
    worker      TEXT,
    PRIMARY KEY (partition, destination)
) STRICT, WITHOUT ROWID;

-- Where cursors stood earlier, at most every ten seconds per lane: when a message was delivered, without a write for it.
CREATE TABLE outbox_marks (
    destination TEXT NOT NULL,
    partition   INTEGER NOT NULL,
    low         INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    worker      TEXT,
    PRIMARY KEY (destination, partition, low)
) STRICT, WITHOUT ROWID;

-- Parked deliveries.
CREATE TABLE outbox_parked (
    seq         INTEGER NOT NULL,
    destination TEXT NOT NULL,
    partition   INTEGER NOT NULL,
    -- '' where the message has none, here and in `outbox_held_keys`.
    tenant      TEXT NOT NULL,
    key         TEXT,
    state       TEXT NOT NULL,
    holds       INTEGER NOT NULL,
    attempts    INTEGER NOT NULL,
    kills       INTEGER NOT NULL,
    -- NULL is never, unless someone asks.
    due_at      INTEGER,
    worker      TEXT,
    error       TEXT,
    progress    BLOB,
    PRIMARY KEY (seq, destination)
) STRICT, WITHOUT ROWID;

CREATE INDEX outbox_parked_due ON outbox_parked (destination, due_at, seq, partition) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_parked_head ON outbox_parked (destination, key, tenant) WHERE holds = 1;
CREATE INDEX outbox_parked_state ON outbox_parked (state, seq, destination);

-- Keys with a cursor of their own: their messages in (after, until] wait.
CREATE TABLE outbox_held_keys (
    destination TEXT NOT NULL,
    key         TEXT NOT NULL,
    tenant      TEXT NOT NULL,
    partition   INTEGER NOT NULL,
    after       INTEGER NOT NULL,
    until       INTEGER NOT NULL,
    PRIMARY KEY (destination, key, tenant)
) STRICT, WITHOUT ROWID;

CREATE INDEX outbox_held_keys_lane ON outbox_held_keys (partition, destination);

-- Failed attempts, and successes that followed failures.
CREATE TABLE outbox_attempts (
    seq         INTEGER NOT NULL,
    destination TEXT NOT NULL,
    number      INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    took_ms     INTEGER NOT NULL,
    worker      TEXT NOT NULL,
    error       TEXT,
    PRIMARY KEY (seq, destination, number)
) STRICT, WITHOUT ROWID;

-- Who holds which partition: one row each, for ever. `worker` stays after the end of a lease, which tells one that expired from
-- one that was given back.
CREATE TABLE outbox_leases (
    partition  INTEGER PRIMARY KEY,
    worker     TEXT,
    epoch      INTEGER NOT NULL DEFAULT 0,
    expires_at INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Who is alive, and what they say about themselves (JSON).
CREATE TABLE outbox_workers (
    worker     TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL,
    report     TEXT
) STRICT, WITHOUT ROWID;
-- What people call a status: one row per message and active destination that takes it. Exact; nothing of it is stored.
--
-- `delivered_at` is the time of the successful attempt after failures; else when the lane passed the message, to within ten
-- seconds. For a message that waited behind a held key that is earlier than its delivery.
CREATE VIEW outbox_status AS
SELECT seq, id, event_type, aggregate_type, aggregate_id, key, tenant, destination, status, attempts, last_error,
       CASE WHEN parked THEN parked_due_at WHEN status = 'pending' THEN due_at END AS due_at,
       occurred_at,
       CASE WHEN status = 'delivered' THEN coalesce(
           (SELECT max(at) FROM outbox_attempts AS a
            WHERE a.seq = delivery.seq AND a.destination = delivery.destination AND a.error IS NULL),
           (SELECT at FROM outbox_marks AS m
            WHERE m.destination = delivery.destination AND m.partition = delivery.partition AND m.low >= delivery.seq
            ORDER BY m.low LIMIT 1),
           cursor_at) END AS delivered_at,
       CASE WHEN parked THEN parked_worker WHEN status = 'delivered' THEN coalesce(
           (SELECT worker FROM outbox_attempts AS a
            WHERE a.seq = delivery.seq AND a.destination = delivery.destination AND a.error IS NULL
            ORDER BY at DESC LIMIT 1),
           (SELECT worker FROM outbox_marks AS m
            WHERE m.destination = delivery.destination AND m.partition = delivery.partition AND m.low >= delivery.seq
            ORDER BY m.low LIMIT 1),
           cursor_worker) END AS worker
FROM (
    SELECT o.seq, o.partition, o.id, o.event_type, o.aggregate_type, o.aggregate_id, o.key, o.tenant, o.occurred_at, o.due_at,
           d.name AS destination,
           CASE WHEN p.state IS NOT NULL THEN p.state
                WHEN o.seq <= h.after THEN 'delivered'
                WHEN o.seq <= h.until THEN 'waiting'
                WHEN o.seq <= c.low OR instr(c.done, printf(',%x,', o.seq - c.low)) > 0 THEN 'delivered'
                ELSE 'pending' END AS status,
           p.state IS NOT NULL AS parked,
           coalesce(p.attempts, 0) AS attempts,
           p.error AS last_error,
           p.due_at AS parked_due_at,
           p.worker AS parked_worker,
           c.updated_at AS cursor_at,
           c.worker AS cursor_worker
    FROM outbox AS o
    JOIN outbox_destinations AS d ON d.active AND CASE
        WHEN o.destination IS NOT NULL THEN d.name = o.destination
        ELSE EXISTS (SELECT 1 FROM outbox_routes AS r WHERE r.destination = d.name AND o.event_type GLOB r.pattern) END
    LEFT JOIN outbox_cursors AS c ON c.partition = o.partition AND c.destination = d.name
    LEFT JOIN outbox_parked AS p ON p.seq = o.seq AND p.destination = d.name
    LEFT JOIN outbox_held_keys AS h ON h.destination = d.name AND h.key = o.key AND h.tenant = coalesce(o.tenant, '')
) AS delivery;
INSERT INTO outbox_schema (version, partitions) VALUES (1, 64);
-- One lease per partition, for ever.
INSERT INTO outbox_leases (partition)
WITH RECURSIVE counted (partition) AS (SELECT 0 UNION ALL SELECT partition + 1 FROM counted WHERE partition + 1 < 64)
SELECT partition FROM counted;
