-- Foreign logs that are read into this journal: who reads each, under which epoch, how far it got, and what was made of its events. One
-- row for each source, for ever. `worker` stays after the end of a lease, which tells one that expired from one that was given back.
CREATE TABLE outbox_sources (
    name       TEXT PRIMARY KEY,
    paused     INTEGER NOT NULL DEFAULT 0,
    checkpoint TEXT,
    worker     TEXT,
    epoch      INTEGER NOT NULL DEFAULT 0,
    expires_at INTEGER NOT NULL DEFAULT 0,
    events     INTEGER NOT NULL DEFAULT 0,
    stored     INTEGER NOT NULL DEFAULT 0,
    duplicates INTEGER NOT NULL DEFAULT 0,
    ignored    INTEGER NOT NULL DEFAULT 0,
    refused    INTEGER NOT NULL DEFAULT 0,
    last_event TEXT,
    moved_at   INTEGER,
    -- What the holder said last (JSON).
    report     TEXT
) STRICT, WITHOUT ROWID;
