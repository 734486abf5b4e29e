-- Fails if this is not the server that was found before, `{server}`: it failed over behind a pooler, whose connections stay open.
DO $$
BEGIN
    IF '{server}' <> (
        SELECT system_identifier || ' '
            || CASE WHEN pg_is_in_recovery() THEN 'replica' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
        FROM pg_catalog.pg_control_system())
    THEN
        RAISE EXCEPTION 'it is another server than before' USING ERRCODE = 'PH001';
    END IF;
END $$;
