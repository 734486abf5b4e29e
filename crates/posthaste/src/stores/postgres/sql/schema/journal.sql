-- The journal: one row per message, written in the application's transaction and never changed.
--
-- Any language may write: INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload) VALUES (…), in the transaction
-- of the change it tells about. Everything else has a default; `seq`, `xid`, `written_at` and `partition` are not for writers
-- (see `roles.sql`). The names of the constraints are the error messages that writers see. From version 8 on a trigger makes the partition
-- and refuses what the constraints refuse: see `on_insert.sql`.

-- CACHE 1: a session that takes numbers in advance would write them down later than others wrote higher ones.
CREATE SEQUENCE {schema}.outbox_seq AS bigint CACHE 1;

CREATE TABLE {schema}.outbox (
    seq            bigint NOT NULL DEFAULT nextval('{schema_text}.outbox_seq'),
    -- The transaction that wrote the row, which tells the tick it is in. The top one, also inside a savepoint.
    xid            xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- When it was written, which tells the segment it lies in. Not the start of the transaction: that may be long ago.
    written_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    occurred_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Not before this time.
    due_at         timestamptz,
    -- A UUIDv7: milliseconds, then chance.
    id             uuid NOT NULL DEFAULT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid,
    -- The slice of the journal: by (tenant, key), or by id where no order is asked. For ever the same for the same key.
    partition      integer NOT NULL GENERATED ALWAYS AS (((
        CASE WHEN key IS NULL THEN uuid_hash_extended(id, 0)
             ELSE hashtextextended(coalesce(tenant, '') || chr(31)
                  || CASE key WHEN '' THEN aggregate_type || '/' || aggregate_id ELSE key END, 0) END
        & 9223372036854775807) % {partitions})::integer) STORED,
    max_attempts   integer,
    event_type     text COLLATE "C" NOT NULL,
    aggregate_type text COLLATE "C" NOT NULL,
    aggregate_id   text COLLATE "C" NOT NULL,
    -- The ordering scope: '' is the aggregate (type/id), NULL asks for no order.
    key            text COLLATE "C" DEFAULT '',
    tenant         text COLLATE "C",
    user_id        text COLLATE "C",
    correlation_id text COLLATE "C",
    -- Only to this destination, whatever the routes say.
    destination    text COLLATE "C",
    source_stream  text COLLATE "C",
    source_event   text COLLATE "C",
    content_type   text COLLATE "C" NOT NULL DEFAULT 'application/json',
    -- [["name","value"], …], or {"name": "value", …} where neither order nor repeats matter.
    headers        json,
    payload        bytea NOT NULL,
    CONSTRAINT "event_type may contain only letters, digits and . _ : / -" CHECK (event_type ~ '^[A-Za-z0-9._:/-]+$'),
    CONSTRAINT "aggregate_type and aggregate_id must not be empty" CHECK (aggregate_type <> '' AND aggregate_id <> ''),
    CONSTRAINT "key, tenant and aggregate may have 1,000 bytes each" CHECK (
        octet_length(key) <= 1000 AND octet_length(tenant) <= 1000
        AND octet_length(aggregate_type) <= 1000 AND octet_length(aggregate_id) <= 1000),
    CONSTRAINT "tenant must not be empty: leave it out" CHECK (tenant <> ''),
    CONSTRAINT "max_attempts must be at least 1" CHECK (max_attempts >= 1),
    CONSTRAINT "source_stream and source_event come together or not at all" CHECK (
        (source_stream IS NULL) = (source_event IS NULL))
) PARTITION BY RANGE (written_at);

-- What was written while nobody made a segment for it, so that an application can always write.
CREATE TABLE {schema}.outbox_rest PARTITION OF {schema}.outbox DEFAULT;

-- For reading on. In the order of writing, so an insert touches its last page only.
CREATE INDEX outbox_seq_index ON {schema}.outbox (seq);
-- For ticks, and for the messages of a late transaction.
CREATE INDEX outbox_xid ON {schema}.outbox (xid, seq);
CREATE INDEX outbox_id ON {schema}.outbox (id);
-- For a held key that catches up, and for operators who ask about a key.
CREATE INDEX outbox_key ON {schema}.outbox (
    (CASE key WHEN '' THEN aggregate_type || '/' || aggregate_id ELSE key END), seq) WHERE key IS NOT NULL;
-- For the history of an aggregate.
CREATE INDEX outbox_aggregate ON {schema}.outbox (aggregate_id, seq);

-- The idempotency fence: one message per foreign event and destination, for as long as the message is kept. A table of its own,
-- because a unique index of a table in segments cannot reach over all of them.
CREATE TABLE {schema}.outbox_origins (
    source_stream text COLLATE "C" NOT NULL,
    source_event  text COLLATE "C" NOT NULL,
    destination   text COLLATE "C" NOT NULL,
    written_at    timestamptz NOT NULL,
    seq           bigint NOT NULL,
    PRIMARY KEY (source_stream, source_event, destination)
);
CREATE INDEX outbox_origins_seq ON {schema}.outbox_origins (seq);

-- Leaves a message out if its origin is known. Writers need no right to the fence.
CREATE FUNCTION {schema}.outbox_is_new() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = {schema}, pg_temp AS $$
BEGIN
    INSERT INTO outbox_origins VALUES (
        NEW.source_stream, NEW.source_event, coalesce(NEW.destination, ''), NEW.written_at, NEW.seq) ON CONFLICT DO NOTHING;
    RETURN CASE WHEN FOUND THEN NEW END;
END $$;
CREATE TRIGGER outbox_is_new BEFORE INSERT ON {schema}.outbox
    FOR EACH ROW WHEN (NEW.source_stream IS NOT NULL AND NEW.source_event IS NOT NULL)
    EXECUTE FUNCTION {schema}.outbox_is_new();

-- What this journal is: one row.
CREATE TABLE {schema}.outbox_schema (
    version    integer NOT NULL,
    -- Fixed for ever: another number would put the messages of a key into another partition.
    partitions integer NOT NULL,
    -- The database this journal was made in, and which of its histories: see `identity.rs`.
    system     text NOT NULL,
    timeline   text NOT NULL
);
