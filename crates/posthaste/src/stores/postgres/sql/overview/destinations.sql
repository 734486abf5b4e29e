-- The destinations that are named.
SELECT name::text AS name, paused FROM outbox_destinations WHERE active ORDER BY name;
