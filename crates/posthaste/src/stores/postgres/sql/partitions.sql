-- The version and the partitions of the journal, and whether this is still the database it was made in. One row.
SELECT s.version, s.partitions,
       s.system = (SELECT system_identifier::text FROM pg_control_system()) AS same_system,
       s.timeline = CASE WHEN pg_is_in_recovery() THEN 'replica' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
       AS same_timeline
FROM outbox_schema AS s;
