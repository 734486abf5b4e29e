-- Replays and discards of many deliveries, which workers carry out piece by piece. What a job is and how far it got is one JSON
-- document, which is written whole with each piece.
CREATE TABLE {schema}.outbox_jobs (
    number   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    is_open  boolean NOT NULL,
    document text NOT NULL
);

CREATE INDEX outbox_jobs_open ON {schema}.outbox_jobs (number) WHERE is_open;

SELECT {schema}.outbox_grant('{schema_name}_producer', '{schema_name}_relay');
