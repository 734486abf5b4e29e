-- Who is paused at a destination, for whoever changes that; by primary key.
SELECT paused_tenants FROM outbox_destinations WHERE name = :destination FOR UPDATE
