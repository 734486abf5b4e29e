-- Foreign logs that are read into this journal: who reads each, under which epoch, how far it got, and what was made of its events. One
-- row for each source, for ever. `worker` stays after the end of a lease, which tells one that expired from one that was given back.
CREATE TABLE IF NOT EXISTS outbox_sources (
    name       VARCHAR(255) NOT NULL PRIMARY KEY,
    paused     BOOLEAN NOT NULL DEFAULT FALSE,
    checkpoint LONGTEXT,
    worker     VARCHAR(255),
    epoch      BIGINT NOT NULL DEFAULT 0,
    expires_at DATETIME(6) NOT NULL DEFAULT '1970-01-01',
    events     BIGINT NOT NULL DEFAULT 0,
    `stored`   BIGINT NOT NULL DEFAULT 0,
    duplicates BIGINT NOT NULL DEFAULT 0,
    ignored    BIGINT NOT NULL DEFAULT 0,
    refused    BIGINT NOT NULL DEFAULT 0,
    last_event LONGTEXT,
    moved_at   DATETIME(6),
    -- What the holder said last (JSON).
    report     LONGTEXT
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};
