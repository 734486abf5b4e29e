-- The age of the oldest transaction that has written something, and of the oldest message that has no tick yet.
SELECT
    (SELECT extract(epoch FROM max(clock_timestamp() - xact_start))::float8 FROM pg_catalog.pg_stat_activity
     WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()),
    (SELECT extract(epoch FROM clock_timestamp() - min(o.written_at))::float8 FROM outbox AS o
     WHERE o.xid >= (SELECT ceiling FROM outbox_ticks ORDER BY n DESC LIMIT 1));
