-- What a worker needs to know to see that it has nothing to write: for how many milliseconds it is announced, how many others are
-- alive, whether a partition is free, and who is paused. And whether this is still the same database. Reads four small tables.
SELECT (SELECT (extract(epoch FROM expires_at - now()) * 1000)::bigint FROM outbox_workers WHERE worker = $1)
       AS announced_for,
       (SELECT count(*) FROM outbox_workers WHERE expires_at > now() AND worker <> $1) AS others,
       EXISTS (SELECT 1 FROM outbox_leases WHERE worker IS NULL OR expires_at <= now()) AS any_free,
       ARRAY(SELECT name::text FROM outbox_destinations WHERE active AND paused ORDER BY name) AS paused,
       s.system = (SELECT system_identifier::text FROM pg_control_system()) AS same_system,
       s.timeline = CASE WHEN pg_is_in_recovery() THEN 'replica' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END
       AS same_timeline
FROM outbox_schema AS s;
