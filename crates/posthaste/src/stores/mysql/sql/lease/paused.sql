-- Destinations that are named and paused, or at which someone is.
SELECT name, paused, paused_tenants FROM outbox_destinations
WHERE active AND (paused OR paused_tenants IS NOT NULL) ORDER BY name
