-- Which database this is, and which of its timelines.
SELECT system_identifier::text AS system,
       CASE WHEN pg_is_in_recovery() THEN 'replica' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
       AS timeline
FROM pg_catalog.pg_control_system();
