-- The journal of version 1, as it was released. Never changed: tests migrate from it.
-- The journal: one row per message, written in the application's transaction and never changed.
--
-- Any language may write: INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload) VALUES (…), in the transaction of
-- the change it tells about. Everything else has a default; `seq`, `partition` and `recorded_at` are not for writers. The names of
-- the constraints are the error messages that writers see. No column says NOT NULL, and each is longer than its text may be: a
-- server that is not strict would fill in an empty text or cut a long one, and the constraints could not tell.
CREATE TABLE outbox (
    -- Taken before the commit, with gaps where nothing was committed. Where a message stands in the journal is in `outbox_ranges`.
    seq            BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    event_type     VARCHAR(1001),
    aggregate_type VARCHAR(1001),
    aggregate_id   VARCHAR(1001),
    -- The ordering scope: the aggregate unless given; NULL asks for no order.
    `key`          VARCHAR(1001) DEFAULT (CONCAT(aggregate_type, '/', aggregate_id)),
    tenant         VARCHAR(1001),
    -- A UUIDv7: milliseconds, then chance.
    id             VARCHAR(37) CHARACTER SET ascii COLLATE ascii_bin DEFAULT (LOWER(CONCAT(
        LPAD(HEX((TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000) DIV 65536), 8, '0'), '-',
        LPAD(HEX((TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000) % 65536), 4, '0'), '-7',
        SUBSTR(SHA2(UUID(), 256), 1, 3), '-', SUBSTR('89ab', 1 + FLOOR(RAND() * 4), 1), SUBSTR(SHA2(UUID(), 256), 1, 3), '-',
        SUBSTR(SHA2(UUID(), 256), 1, 12)))),
    user_id        VARCHAR(1001),
    correlation_id VARCHAR(1001),
    -- Times are in UTC.
    occurred_at    DATETIME(6) DEFAULT (UTC_TIMESTAMP(6)),
    recorded_at    DATETIME(6) DEFAULT (UTC_TIMESTAMP(6)),
    -- Not before this time.
    due_at         DATETIME(6),
    -- Only to this destination, whatever the routes say.
    destination    VARCHAR(1001),
    max_attempts   INT,
    source_stream  VARCHAR(1001),
    source_event   VARCHAR(1001),
    content_type   VARCHAR(1001) DEFAULT 'application/json',
    -- [["name","value"], …], or {"name": "value", …} where neither order nor repeats matter.
    headers        LONGTEXT,
    payload        LONGBLOB,
    -- Of (tenant, key), or of the id where no order is asked.
    `partition`    SMALLINT UNSIGNED AS (
        CRC32(IF(`key` IS NULL, id, CONCAT(IFNULL(tenant, ''), X'1F', `key`))) % {partitions}) STORED,
    -- The idempotency fence: one message per foreign event and destination, for as long as the message is kept.
    origin         BINARY(32) AS (UNHEX(SHA2(CONCAT(
        source_stream, X'1F', source_event, X'1F', IFNULL(destination, '')), 256))) STORED,
    UNIQUE KEY outbox_id (id),
    UNIQUE KEY outbox_origin (origin),
    -- For a held key that catches up, and for whoever looks a key up.
    KEY outbox_key (`key`(100)),
    -- For the history of an aggregate.
    KEY outbox_aggregate (aggregate_id(100)),
    CONSTRAINT `event_type may contain only letters, digits and . _ : / -` CHECK (
        event_type IS NOT NULL AND event_type REGEXP '^[A-Za-z0-9._:/-]+$' AND event_type NOT LIKE '%\n'),
    CONSTRAINT `aggregate_type and aggregate_id must not be empty` CHECK (
        aggregate_type IS NOT NULL AND aggregate_id IS NOT NULL AND aggregate_type <> '' AND aggregate_id <> ''),
    CONSTRAINT `texts may have 1,000 bytes each` CHECK (
        OCTET_LENGTH(event_type) <= 1000 AND OCTET_LENGTH(aggregate_type) <= 1000 AND OCTET_LENGTH(aggregate_id) <= 1000
        AND OCTET_LENGTH(IFNULL(`key`, '')) <= 1000 AND OCTET_LENGTH(IFNULL(tenant, '')) <= 1000
        AND OCTET_LENGTH(IFNULL(user_id, '')) <= 1000 AND OCTET_LENGTH(IFNULL(correlation_id, '')) <= 1000
        AND OCTET_LENGTH(IFNULL(destination, '')) <= 1000 AND OCTET_LENGTH(IFNULL(source_stream, '')) <= 1000
        AND OCTET_LENGTH(IFNULL(source_event, '')) <= 1000 AND OCTET_LENGTH(IFNULL(content_type, '')) <= 1000),
    CONSTRAINT `key must not be empty: leave it out, or NULL asks for no order` CHECK (`key` IS NULL OR `key` <> ''),
    CONSTRAINT `tenant must not be empty: leave it out` CHECK (tenant IS NULL OR tenant <> ''),
    CONSTRAINT `id must be a UUID in lower case` CHECK (
        id IS NOT NULL AND id REGEXP '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'),
    CONSTRAINT `max_attempts must be at least 1` CHECK (max_attempts IS NULL OR max_attempts >= 1),
    CONSTRAINT `source_stream and source_event are given together or not at all` CHECK (
        (source_stream IS NULL) = (source_event IS NULL)),
    CONSTRAINT `headers must be JSON` CHECK (headers IS NULL OR JSON_VALID(headers)),
    CONSTRAINT `payload must be given` CHECK (payload IS NOT NULL),
    CONSTRAINT `occurred_at and content_type have defaults: leave them out` CHECK (
        occurred_at IS NOT NULL AND recorded_at IS NOT NULL AND content_type IS NOT NULL)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};
-- Where messages stand in the journal. The sequencer writes both tables, and a message itself is never touched for it.

-- Messages that got consecutive positions and have consecutive numbers: `first_seq` stands at `position`, the next one at the next.
-- No two ranges share a number, and none reaches over a multiple of 1,024, so a message finds its range by its `block`.
CREATE TABLE outbox_ranges (
    position  BIGINT NOT NULL PRIMARY KEY,
    first_seq BIGINT NOT NULL,
    last_seq  BIGINT NOT NULL,
    block     BIGINT NOT NULL,
    KEY outbox_ranges_block (block, first_seq, last_seq)
) ENGINE = InnoDB;

-- Numbers below the highest that has a position, and without one themselves: the transaction that took them still runs, or was
-- rolled back. They are looked at for as long as there are messages from before or after them.
CREATE TABLE outbox_gaps (
    first_seq BIGINT NOT NULL PRIMARY KEY,
    last_seq  BIGINT NOT NULL
) ENGINE = InnoDB;

-- One row: how far the sequencer got, who it is, and on which server.
CREATE TABLE outbox_state (
    one             TINYINT NOT NULL PRIMARY KEY,
    -- The newest position.
    newest          BIGINT NOT NULL,
    -- All numbers up to here have a position or are in a gap.
    head            BIGINT NOT NULL,
    -- Grows with each change of ranges and gaps, so that a sequencer knows whether what it remembers still holds.
    changes         BIGINT NOT NULL,
    -- Grows when an operator has changed something that lanes should look at.
    wakes           BIGINT NOT NULL,
    sequencer       VARCHAR(255) NOT NULL,
    sequencer_until DATETIME(6) NOT NULL,
    -- The server whose commits these positions follow. See docs/stores/mysql.md, “Failover”.
    server          VARCHAR(255) NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};

-- What this journal is: one row.
CREATE TABLE outbox_schema (
    version    BIGINT NOT NULL,
    -- Fixed for ever: another number would put the messages of a key into another partition.
    partitions INT NOT NULL
) ENGINE = InnoDB;
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
-- What operators changed: who, when, what, how much. The program only appends, and its role may do no more (`roles.sql` of the page).
CREATE TABLE outbox_audit (
    number   BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    at       DATETIME(6) NOT NULL,
    who      LONGTEXT NOT NULL,
    action   LONGTEXT NOT NULL,
    target   LONGTEXT NOT NULL,
    affected BIGINT NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};
-- One row per message and active destination that takes it, with its status. Nothing of it is stored. The server puts this view into
-- the statement that uses it, so a condition on a message reaches the table: no value of it is a subquery.
CREATE SQL SECURITY INVOKER VIEW outbox_deliveries AS
SELECT r.position + (o.seq - r.first_seq) AS position, o.seq, o.`partition`, o.id, o.event_type, o.aggregate_type, o.aggregate_id,
       o.`key`, o.tenant, o.occurred_at, o.recorded_at, d.name AS destination, d.paused,
       CASE WHEN p.state IS NOT NULL THEN p.state
            WHEN r.position + (o.seq - r.first_seq) <= h.`after` THEN 'delivered'
            WHEN r.position + (o.seq - r.first_seq) <= h.`until` THEN 'waiting'
            WHEN r.position + (o.seq - r.first_seq) <= c.low THEN 'delivered'
            WHEN INSTR(c.done, CONCAT(',', LOWER(HEX(r.position + (o.seq - r.first_seq) - c.low)), ',')) > 0 THEN 'delivered'
            ELSE 'pending' END AS status,
       IFNULL(p.attempts, 0) AS attempts, IFNULL(p.kills, 0) AS kills, p.error AS last_error,
       CASE WHEN p.state IS NOT NULL THEN p.due_at
            WHEN h.scope IS NULL AND r.position + (o.seq - r.first_seq) > c.low
                 AND INSTR(c.done, CONCAT(',', LOWER(HEX(r.position + (o.seq - r.first_seq) - c.low)), ',')) = 0 THEN o.due_at
            WHEN r.position + (o.seq - r.first_seq) > h.`until` AND r.position + (o.seq - r.first_seq) > c.low
                 AND INSTR(c.done, CONCAT(',', LOWER(HEX(r.position + (o.seq - r.first_seq) - c.low)), ',')) = 0 THEN o.due_at
            END AS due_at,
       p.state IS NOT NULL AS parked, p.worker AS parked_worker, c.updated_at AS cursor_at, c.worker AS cursor_worker
FROM outbox AS o
JOIN outbox_ranges AS r ON r.block = o.seq DIV 1024 AND r.first_seq <= o.seq AND r.last_seq >= o.seq
JOIN outbox_destinations AS d ON d.active AND (d.name = o.destination OR o.destination IS NULL AND EXISTS (
    SELECT 1 FROM outbox_routes AS t WHERE t.destination = d.name AND o.event_type LIKE t.pattern))
LEFT JOIN outbox_cursors AS c ON c.`partition` = o.`partition` AND c.destination = d.name
LEFT JOIN outbox_parked AS p ON p.seq = o.seq AND p.destination = d.name
LEFT JOIN outbox_held_keys AS h ON h.destination = d.name AND h.`key` = o.`key` AND h.tenant = IFNULL(o.tenant, '');

-- What people call a status. `delivered_at` is the time of the successful attempt after failures; else when the lane passed the
-- message, to within ten seconds. For a message that waited behind a held key that is earlier than its delivery.
CREATE SQL SECURITY INVOKER VIEW outbox_status AS
SELECT s.position, s.seq, s.id, s.event_type, s.aggregate_type, s.aggregate_id, s.`key`, s.tenant, s.destination, s.status,
       s.attempts, s.last_error, s.due_at, s.occurred_at,
       CASE WHEN s.status = 'delivered' THEN COALESCE(
           (SELECT MAX(a.at) FROM outbox_attempts AS a
            WHERE a.position = s.position AND a.destination = s.destination AND a.error IS NULL),
           (SELECT MIN(m.at) FROM outbox_marks AS m
            WHERE m.destination = s.destination AND m.`partition` = s.`partition` AND m.low >= s.position),
           s.cursor_at) END AS delivered_at,
       CASE WHEN s.parked THEN s.parked_worker WHEN s.status = 'delivered' THEN COALESCE(
           (SELECT a.worker FROM outbox_attempts AS a
            WHERE a.position = s.position AND a.destination = s.destination AND a.error IS NULL ORDER BY a.at DESC LIMIT 1),
           (SELECT m.worker FROM outbox_marks AS m
            WHERE m.destination = s.destination AND m.`partition` = s.`partition` AND m.low >= s.position
            ORDER BY m.low LIMIT 1),
           s.cursor_worker) END AS worker
FROM outbox_deliveries AS s;
-- Nothing has a position yet.
INSERT IGNORE INTO outbox_state (one, newest, head, changes, wakes, sequencer, sequencer_until, server)
VALUES (1, 0, 0, 0, 0, '', UTC_TIMESTAMP(6), {server});
-- One lease per partition, for ever.
INSERT IGNORE INTO outbox_leases (`partition`) VALUES {leases};
-- The rows that keys are locked by.
INSERT IGNORE INTO outbox_key_locks (slot) VALUES {slots};
-- Says what the journal is. The last step of a first migration: without it there is no journal.
INSERT INTO outbox_schema (version, partitions) VALUES (1, {partitions});
