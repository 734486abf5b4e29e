-- What a worker needs to know to see that it has nothing to write: when its announcement ends, how many others are alive,
-- whether a partition is free, and who is paused. Reads three small tables.
SELECT (SELECT expires_at FROM outbox_workers WHERE worker = :worker) AS announced_until,
       (SELECT count(*) FROM outbox_workers WHERE expires_at > :now AND worker <> :worker) AS others,
       EXISTS (SELECT 1 FROM outbox_leases WHERE worker IS NULL OR expires_at <= :now) AS any_free,
       (SELECT json_group_array(name)
        FROM (SELECT name FROM outbox_destinations WHERE active AND paused ORDER BY name)) AS paused,
       (SELECT json_group_object(name, paused_tenants)
        FROM outbox_destinations WHERE active AND paused_tenants IS NOT NULL) AS paused_tenants;
