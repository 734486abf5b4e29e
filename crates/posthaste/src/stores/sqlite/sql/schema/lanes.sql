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
