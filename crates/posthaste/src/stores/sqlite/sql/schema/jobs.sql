-- Replays and discards of many deliveries, which workers carry out piece by piece. What a job is and how far it got is one JSON
-- document, which is written whole with each piece.
CREATE TABLE outbox_jobs (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    is_open  INTEGER NOT NULL,
    document TEXT NOT NULL
) STRICT;

CREATE INDEX outbox_jobs_open ON outbox_jobs (number) WHERE is_open;
