-- Writes down what the journal is. Runs once, in the transaction that makes its tables.
INSERT INTO outbox_schema (version, partitions, system, timeline)
SELECT $1, $2, system_identifier::text, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) FROM pg_control_system();
