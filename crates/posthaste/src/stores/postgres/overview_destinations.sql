-- The destinations that are named.
SELECT name::text, paused FROM outbox_destinations WHERE active ORDER BY name;
