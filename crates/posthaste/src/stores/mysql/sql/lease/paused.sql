-- Destinations that are named and paused.
SELECT name FROM outbox_destinations WHERE active AND paused ORDER BY name
