-- What every message goes through as it is written: it is refused with a text that says what to change, or gets its partition. One trigger in
-- place of a generated column and of constraints, which the server reads anew for each statement: they were 24 of the 40 µs of its processor
-- that an INSERT of one message took. A refusal does not show the message, either, as the detail of a constraint would.
--
-- The tables are locked for as long as changing their definitions takes. Writers do not wait for long if somebody else holds them: the migration gives up.
SET LOCAL lock_timeout = '2s';
ALTER TABLE {schema}.outbox
    ALTER COLUMN partition DROP EXPRESSION,
    DROP CONSTRAINT "event_type may contain only letters, digits and . _ : / -",
    DROP CONSTRAINT "aggregate_type and aggregate_id must not be empty",
    DROP CONSTRAINT "key, tenant and aggregate may have 1,000 bytes each",
    DROP CONSTRAINT "tenant must not be empty: leave it out",
    DROP CONSTRAINT "max_attempts must be at least 1",
    DROP CONSTRAINT "source_stream and source_event come together or not at all";

-- Operators are named with their schema, so that no writer can slip in others; setting a search path would cost each row more than the rest of
-- the checks. A field that is missing is left to its column, which says so.
CREATE FUNCTION {schema}.outbox_on_insert() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    refusal text;
BEGIN
    IF (NEW.event_type OPERATOR(pg_catalog.~) '^[A-Za-z0-9._:/-]+$'
        AND NEW.aggregate_type OPERATOR(pg_catalog.<>) '' AND NEW.aggregate_id OPERATOR(pg_catalog.<>) ''
        AND pg_catalog.octet_length(NEW.aggregate_type) OPERATOR(pg_catalog.<=) 1000
        AND pg_catalog.octet_length(NEW.aggregate_id) OPERATOR(pg_catalog.<=) 1000
        AND pg_catalog.octet_length(NEW.key) OPERATOR(pg_catalog.<=) 1000
        AND pg_catalog.octet_length(NEW.tenant) OPERATOR(pg_catalog.<=) 1000
        AND NEW.tenant OPERATOR(pg_catalog.<>) ''
        AND NEW.max_attempts OPERATOR(pg_catalog.>=) 1
        AND (NEW.source_stream IS NULL) OPERATOR(pg_catalog.=) (NEW.source_event IS NULL)) IS FALSE
    THEN
        refusal := CASE
            WHEN NEW.event_type !~ '^[A-Za-z0-9._:/-]+$' THEN 'event_type may contain only letters, digits and . _ : / -'
            WHEN NEW.aggregate_type = '' OR NEW.aggregate_id = '' THEN 'aggregate_type and aggregate_id must not be empty'
            WHEN NEW.tenant = '' THEN 'tenant must not be empty: leave it out'
            WHEN NEW.max_attempts < 1 THEN 'max_attempts must be at least 1'
            WHEN (NEW.source_stream IS NULL) <> (NEW.source_event IS NULL)
                THEN 'source_stream and source_event come together or not at all'
            ELSE 'key, tenant and aggregate may have 1,000 bytes each' END;
        RAISE check_violation USING MESSAGE = refusal, CONSTRAINT = refusal, TABLE = 'outbox', SCHEMA = TG_TABLE_SCHEMA;
    END IF;
    -- By (tenant, key), or by id where no order is asked. For ever the same for the same key.
    NEW.partition := coalesce((CASE
        WHEN NEW.key IS NULL THEN pg_catalog.uuid_hash_extended(NEW.id, 0)
        ELSE pg_catalog.hashtextextended(
            coalesce(NEW.tenant, '') OPERATOR(pg_catalog.||) pg_catalog.chr(31) OPERATOR(pg_catalog.||) CASE
                WHEN NEW.key OPERATOR(pg_catalog.=) ''
                THEN NEW.aggregate_type OPERATOR(pg_catalog.||) '/' OPERATOR(pg_catalog.||) NEW.aggregate_id
                ELSE NEW.key END, 0)
        END OPERATOR(pg_catalog.&) 9223372036854775807) OPERATOR(pg_catalog.%) {partitions}, 0);
    RETURN NEW;
END $$;

-- Comes after `outbox_is_new`: triggers go by their names.
CREATE TRIGGER outbox_on_insert BEFORE INSERT ON {schema}.outbox FOR EACH ROW EXECUTE FUNCTION {schema}.outbox_on_insert();
SET LOCAL lock_timeout TO DEFAULT;
