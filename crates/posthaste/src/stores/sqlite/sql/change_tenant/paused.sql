-- Who is paused at a destination; by primary key.
SELECT paused_tenants FROM outbox_destinations WHERE name = :destination;
