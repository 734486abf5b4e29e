-- Everything the relay keeps beside the journal. All of it is small: rows per destination, partition, worker and exception,
-- never per delivered message.

-- Destinations that were registered once; `active` are those the latest registration named.
CREATE TABLE outbox_destinations (
    name   VARCHAR(255) NOT NULL PRIMARY KEY,
    active BOOLEAN NOT NULL,
    paused BOOLEAN NOT NULL DEFAULT FALSE
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};

-- Event types a destination takes, as LIKE patterns.
CREATE TABLE outbox_routes (
    destination VARCHAR(255) NOT NULL,
    pattern     VARCHAR(500) NOT NULL,
    PRIMARY KEY (destination, pattern)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};

-- How far a lane got: everything up to `low` is settled, and so is what `done` lists: offsets from `low` in hexadecimal, each
-- between commas (',1,a,2f,'), which is short, and a status query can look a position up in it.
CREATE TABLE outbox_cursors (
    `partition` SMALLINT UNSIGNED NOT NULL,
    destination VARCHAR(255) NOT NULL,
    low         BIGINT NOT NULL,
    done        LONGTEXT NOT NULL,
    updated_at  DATETIME(6) NOT NULL,
    -- Time of the newest of `outbox_marks`.
    marked_at   DATETIME(6) NOT NULL,
    worker      VARCHAR(255),
    PRIMARY KEY (`partition`, destination)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};

-- Where cursors stood earlier, at most every ten seconds per lane: when a message was delivered, without a write for it.
CREATE TABLE outbox_marks (
    destination VARCHAR(255) NOT NULL,
    `partition` SMALLINT UNSIGNED NOT NULL,
    low         BIGINT NOT NULL,
    at          DATETIME(6) NOT NULL,
    worker      VARCHAR(255),
    PRIMARY KEY (destination, `partition`, low)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};

-- Parked deliveries.
CREATE TABLE outbox_parked (
    position    BIGINT NOT NULL,
    destination VARCHAR(255) NOT NULL,
    seq         BIGINT NOT NULL,
    `partition` SMALLINT UNSIGNED NOT NULL,
    -- '' where the message has none, here and in `outbox_held_keys`.
    tenant      VARCHAR(1001) NOT NULL,
    `key`       VARCHAR(1001),
    state       VARCHAR(20) NOT NULL,
    holds       BOOLEAN NOT NULL,
    attempts    INT UNSIGNED NOT NULL,
    kills       INT UNSIGNED NOT NULL,
    -- NULL is never, unless someone asks.
    due_at      DATETIME(6),
    worker      VARCHAR(255),
    error       LONGTEXT,
    progress    LONGBLOB,
    PRIMARY KEY (position, destination),
    KEY outbox_parked_seq (seq, destination),
    KEY outbox_parked_due (destination, due_at, position, `partition`),
    KEY outbox_parked_head (destination, `key`(100), holds),
    KEY outbox_parked_state (state, position, destination)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};

-- Keys with a cursor of their own: their messages in (after, until] wait.
CREATE TABLE outbox_held_keys (
    destination VARCHAR(255) NOT NULL,
    -- Of tenant and key, which are too long for an index.
    scope       BINARY(32) NOT NULL,
    `key`       VARCHAR(1001) NOT NULL,
    tenant      VARCHAR(1001) NOT NULL,
    `partition` SMALLINT UNSIGNED NOT NULL,
    `after`     BIGINT NOT NULL,
    `until`     BIGINT NOT NULL,
    PRIMARY KEY (destination, scope),
    KEY outbox_held_keys_key (destination, `key`(100)),
    KEY outbox_held_keys_lane (`partition`, destination)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};

-- Failed attempts, and successes that followed failures.
CREATE TABLE outbox_attempts (
    position    BIGINT NOT NULL,
    destination VARCHAR(255) NOT NULL,
    number      INT UNSIGNED NOT NULL,
    at          DATETIME(6) NOT NULL,
    took_ms     BIGINT NOT NULL,
    worker      VARCHAR(255) NOT NULL,
    error       LONGTEXT,
    PRIMARY KEY (position, destination, number)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};

-- Who holds which partition: one row each, for ever. `worker` stays after the end of a lease, which tells one that expired from
-- one that was given back. `claim` tells what one call took from what its worker held already.
CREATE TABLE outbox_leases (
    `partition`    SMALLINT UNSIGNED NOT NULL PRIMARY KEY,
    worker         VARCHAR(255),
    epoch          BIGINT NOT NULL DEFAULT 0,
    expires_at     DATETIME(6) NOT NULL DEFAULT '1970-01-01',
    expired_before BOOLEAN NOT NULL DEFAULT FALSE,
    claim          VARCHAR(36)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};

-- Who is alive, and what they say about themselves (JSON).
CREATE TABLE outbox_workers (
    worker     VARCHAR(255) NOT NULL PRIMARY KEY,
    expires_at DATETIME(6) NOT NULL,
    report     LONGTEXT
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};

-- What applications lock that ask for it: a key is one of these rows by its hash.
CREATE TABLE outbox_key_locks (
    slot SMALLINT UNSIGNED NOT NULL PRIMARY KEY
) ENGINE = InnoDB;
