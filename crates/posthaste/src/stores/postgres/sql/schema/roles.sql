-- Who may do what. Roles belong to the whole server, so they are made by a person; this grants them what they need. Nothing
-- happens for a role that does not exist.
--
--     SCHEMA_producer   writes messages: INSERT into the columns that are for writers, and nothing else
--     SCHEMA_relay      runs a relay and the commands of an operator
--
-- The owner of the schema is the administrator: the user that ran the migration.
CREATE FUNCTION {schema}.outbox_grant(producer text, relay text) RETURNS void LANGUAGE plpgsql
SET search_path = {schema}, pg_temp AS $$
DECLARE
    schema text := quote_ident(current_schema());
BEGIN
    IF to_regrole(quote_ident(producer)) IS NOT NULL THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %s TO %I', schema, producer);
        EXECUTE format('GRANT USAGE ON SEQUENCE outbox_seq TO %I', producer);
        EXECUTE format('GRANT INSERT (id, event_type, aggregate_type, aggregate_id, key, tenant, user_id, correlation_id, '
            'occurred_at, due_at, destination, max_attempts, source_stream, source_event, content_type, headers, payload), '
            'SELECT (id) ON outbox TO %I', producer);
    END IF;
    IF to_regrole(quote_ident(relay)) IS NOT NULL THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %s TO %I', schema, relay);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %s TO %I', schema, relay);
        EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON outbox_schema FROM %I', relay);
        EXECUTE format('REVOKE UPDATE ON outbox FROM %I', relay);
        EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %s TO %I', schema, relay);
        EXECUTE format('GRANT EXECUTE ON FUNCTION outbox_add_segments, outbox_drop_segment, outbox_segment_kept_by TO %I', relay);
    END IF;
END $$;

SELECT {schema}.outbox_grant('{schema_name}_producer', '{schema_name}_relay');
