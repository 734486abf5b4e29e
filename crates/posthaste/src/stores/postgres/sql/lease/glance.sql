-- What a worker needs to know to see that it has nothing to write: for how many milliseconds it is announced, how many others are
-- alive, whether a partition is free, and who is paused. And which database the journal belongs to. Reads four small tables.
SELECT (SELECT (extract(epoch FROM expires_at - now()) * 1000)::bigint FROM outbox_workers WHERE worker = $1)
       AS announced_for,
       (SELECT count(*) FROM outbox_workers WHERE expires_at > now() AND worker <> $1) AS others,
       EXISTS (SELECT 1 FROM outbox_leases WHERE worker IS NULL OR expires_at <= now()) AS any_free,
       ARRAY(SELECT name::text FROM outbox_destinations WHERE active AND paused ORDER BY name) AS paused,
       ARRAY(SELECT name::text FROM outbox_destinations WHERE active AND paused_tenants IS NOT NULL ORDER BY name) AS with_tenants,
       ARRAY(SELECT paused_tenants FROM outbox_destinations WHERE active AND paused_tenants IS NOT NULL ORDER BY name)
       AS paused_tenants,
       s.system, s.timeline, false AS is_ahead
FROM outbox_schema AS s;
