-- Foreign logs that are read into this journal: who reads each, under which epoch, how far it got, and what was made of its events. One
-- row for each source, for ever. `worker` stays after the end of a lease, which tells one that expired from one that was given back.
CREATE TABLE {schema}.outbox_sources (
    name       text COLLATE "C" PRIMARY KEY,
    paused     boolean NOT NULL DEFAULT false,
    checkpoint text,
    worker     text,
    epoch      bigint NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL DEFAULT '-infinity',
    events     bigint NOT NULL DEFAULT 0,
    stored     bigint NOT NULL DEFAULT 0,
    duplicates bigint NOT NULL DEFAULT 0,
    ignored    bigint NOT NULL DEFAULT 0,
    refused    bigint NOT NULL DEFAULT 0,
    last_event text,
    moved_at   timestamptz,
    -- What the holder said last (JSON).
    report     text
) WITH (fillfactor = 50);

-- A relay may use what was added.
SELECT {schema}.outbox_grant('{schema_name}_producer', '{schema_name}_relay');
