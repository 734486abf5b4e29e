-- The destinations that are named.
SELECT name, paused, paused_tenants FROM outbox_destinations WHERE active ORDER BY name
