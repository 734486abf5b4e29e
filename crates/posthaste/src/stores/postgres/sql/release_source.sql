-- Gives a source back, unless it was taken; by primary key. The epoch stays, so that the next one is higher.
UPDATE outbox_sources SET worker = NULL, expires_at = '-infinity' WHERE name = $1 AND worker = $2 AND epoch = $3;
