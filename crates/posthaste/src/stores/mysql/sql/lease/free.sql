-- Partitions that nobody seems to hold. Reads one small table and locks nothing.
SELECT `partition` FROM outbox_leases WHERE worker IS NULL OR expires_at <= UTC_TIMESTAMP(6) ORDER BY `partition`
