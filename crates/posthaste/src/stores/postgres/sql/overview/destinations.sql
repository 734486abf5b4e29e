-- The destinations that the latest registration named. Reads all of a small table.
SELECT name::text AS name, paused, paused_tenants FROM outbox_destinations WHERE active ORDER BY name;
