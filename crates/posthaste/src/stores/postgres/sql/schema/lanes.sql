-- Everything the relay keeps beside the journal. All of it is small: rows per destination, partition, worker and exception,
-- never per delivered message.

-- Destinations that were registered once; `active` are those the latest registration named.
CREATE TABLE {schema}.outbox_destinations (
    name   text COLLATE "C" PRIMARY KEY,
    active boolean NOT NULL,
    paused boolean NOT NULL DEFAULT false
);

-- Event types a destination takes, as LIKE patterns.
CREATE TABLE {schema}.outbox_routes (
    destination text COLLATE "C" NOT NULL,
    pattern     text COLLATE "C" NOT NULL,
    PRIMARY KEY (destination, pattern)
);

-- How far a lane got: everything up to `low` is settled, and everything that `done` lists. What changes comes last, and no index
-- knows it, so that moving a cursor writes a few dozen bytes.
CREATE TABLE {schema}.outbox_cursors (
    partition   integer NOT NULL,
    destination text COLLATE "C" NOT NULL,
    -- The lease that opened the lane last. A write under an older epoch is refused by this very row.
    epoch       bigint NOT NULL DEFAULT 0,
    worker      text,
    -- Time of the newest of `outbox_marks`.
    marked_at   timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    low_tick    bigint NOT NULL,
    low_seq     bigint NOT NULL,
    done_tick   bigint[],
    done_seq    bigint[],
    PRIMARY KEY (partition, destination)
) WITH (fillfactor = 50);

-- Where cursors stood earlier, at most every ten seconds per lane: when a message was delivered, without a write for it.
CREATE TABLE {schema}.outbox_marks (
    destination text COLLATE "C" NOT NULL,
    partition   integer NOT NULL,
    tick        bigint NOT NULL,
    seq         bigint NOT NULL,
    at          timestamptz NOT NULL,
    worker      text,
    PRIMARY KEY (destination, partition, tick, seq)
);

-- Parked deliveries.
CREATE TABLE {schema}.outbox_parked (
    seq         bigint NOT NULL,
    destination text COLLATE "C" NOT NULL,
    tick        bigint NOT NULL,
    partition   integer NOT NULL,
    -- '' where the message has none, here and in `outbox_held_keys`.
    tenant      text COLLATE "C" NOT NULL,
    key         text COLLATE "C",
    state       text COLLATE "C" NOT NULL,
    holds       boolean NOT NULL,
    attempts    integer NOT NULL,
    kills       integer NOT NULL,
    -- NULL is never, unless someone asks.
    due_at      timestamptz,
    worker      text,
    error       text,
    progress    bytea,
    PRIMARY KEY (seq, destination)
);
CREATE INDEX outbox_parked_due ON {schema}.outbox_parked (destination, due_at, tick, seq) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_parked_head ON {schema}.outbox_parked (destination, key, tenant) WHERE holds;
CREATE INDEX outbox_parked_state ON {schema}.outbox_parked (state, seq);

-- Keys with a cursor of their own: their messages in (after, until] wait.
CREATE TABLE {schema}.outbox_held_keys (
    destination text COLLATE "C" NOT NULL,
    key         text COLLATE "C" NOT NULL,
    tenant      text COLLATE "C" NOT NULL,
    partition   integer NOT NULL,
    after_tick  bigint NOT NULL,
    after_seq   bigint NOT NULL,
    until_tick  bigint NOT NULL,
    until_seq   bigint NOT NULL,
    PRIMARY KEY (destination, key, tenant)
);
CREATE INDEX outbox_held_keys_lane ON {schema}.outbox_held_keys (partition, destination);

-- Failed attempts, and successes that followed failures.
CREATE TABLE {schema}.outbox_attempts (
    seq         bigint NOT NULL,
    destination text COLLATE "C" NOT NULL,
    number      integer NOT NULL,
    at          timestamptz NOT NULL,
    took_ms     bigint NOT NULL,
    worker      text NOT NULL,
    error       text,
    PRIMARY KEY (seq, destination, number)
);

-- Who holds which partition: one row each, for ever. `worker` stays after the end of a lease, which tells one that expired from
-- one that was given back.
CREATE TABLE {schema}.outbox_leases (
    partition  integer PRIMARY KEY,
    worker     text,
    epoch      bigint NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);

-- The workers that are alive, and what they report (JSON).
CREATE TABLE {schema}.outbox_workers (
    worker     text PRIMARY KEY,
    expires_at timestamptz NOT NULL,
    report     text
);

INSERT INTO {schema}.outbox_leases (partition) SELECT generate_series(0, {partitions} - 1);
