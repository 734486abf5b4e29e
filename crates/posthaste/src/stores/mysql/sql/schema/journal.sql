-- The journal: one row per message, written in the application's transaction and never changed.
--
-- Any language may write: INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload) VALUES (…), in the transaction of
-- the change it tells about. Everything else has a default; `seq`, `partition` and `recorded_at` are not for writers. The names of
-- the constraints are the error messages that writers see. No column says NOT NULL, and each is longer than its text may be: a
-- server that is not strict would fill in an empty text or cut a long one, and the constraints could not tell.
--
-- TiDB has no defaults of this kind but UUID() and the time in the zone of the session. There a key has to be given, an id is a UUID of version
-- 1, and a message says nothing of when it occurred unless its writer does: then that is when it was recorded. It hands out numbers in
-- the order in which they are asked for, whichever of its servers is asked, only where AUTO_ID_CACHE is 1.
CREATE TABLE outbox (
    -- Taken before the commit, with gaps where nothing was committed. Where a message stands in the journal is in `outbox_ranges`.
    seq            BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    event_type     VARCHAR(1001),
    aggregate_type VARCHAR(1001),
    aggregate_id   VARCHAR(1001),
    -- The ordering scope: the aggregate unless given; NULL asks for no order.
    `key`          VARCHAR(1001) DEFAULT /*[not TiDB]*/(CONCAT(aggregate_type, '/', aggregate_id))/*[end]*//*[TiDB]*/''/*[end]*/,
    tenant         VARCHAR(1001),
    -- A UUIDv7: milliseconds, then chance.
    id             VARCHAR(37) CHARACTER SET ascii COLLATE ascii_bin DEFAULT /*[TiDB]*/(UUID()),/*[end]*//*[not TiDB]*/(LOWER(CONCAT(
        LPAD(HEX((TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000) DIV 65536), 8, '0'), '-',
        LPAD(HEX((TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000) % 65536), 4, '0'), '-7',
        SUBSTR(SHA2(UUID(), 256), 1, 3), '-', SUBSTR('89ab', 1 + FLOOR(RAND() * 4), 1), SUBSTR(SHA2(UUID(), 256), 1, 3), '-',
        SUBSTR(SHA2(UUID(), 256), 1, 12)))),/*[end]*/
    user_id        VARCHAR(1001),
    correlation_id VARCHAR(1001),
    -- Times are in UTC.
    occurred_at    DATETIME(6)/*[not TiDB]*/ DEFAULT (UTC_TIMESTAMP(6))/*[end]*/,
    recorded_at    /*[not TiDB]*/DATETIME(6) DEFAULT (UTC_TIMESTAMP(6))/*[end]*//*[TiDB]*/TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6)/*[end]*/,
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
    KEY outbox_key (`key`(100)/*[TiDB]*/, seq/*[end]*/),
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
    CONSTRAINT /*[not TiDB]*/`key must not be empty: leave it out, or NULL asks for no order`/*[end]*/
        /*[TiDB]*/`key must not be empty: give it, or NULL asks for no order`/*[end]*/ CHECK (`key` IS NULL OR `key` <> ''),
    CONSTRAINT `tenant must not be empty: leave it out` CHECK (tenant IS NULL OR tenant <> ''),
    CONSTRAINT `id must be a UUID in lower case` CHECK (
        id IS NOT NULL AND id REGEXP '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'),
    CONSTRAINT `max_attempts must be at least 1` CHECK (max_attempts IS NULL OR max_attempts >= 1),
    CONSTRAINT `source_stream and source_event are given together or not at all` CHECK (
        (source_stream IS NULL) = (source_event IS NULL)),
    CONSTRAINT `headers must be JSON` CHECK (headers IS NULL OR JSON_VALID(headers)),
    CONSTRAINT `payload must be given` CHECK (payload IS NOT NULL),
    CONSTRAINT `occurred_at and content_type have defaults: leave them out` CHECK (
        /*[not TiDB]*/occurred_at IS NOT NULL AND /*[end]*/recorded_at IS NOT NULL AND content_type IS NOT NULL)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation}/*[TiDB]*/ AUTO_ID_CACHE = 1/*[end]*/;
