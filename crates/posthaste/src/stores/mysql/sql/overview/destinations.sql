-- The destinations that are named.
SELECT name, paused FROM outbox_destinations WHERE active ORDER BY name
