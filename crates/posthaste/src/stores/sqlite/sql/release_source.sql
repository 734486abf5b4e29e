-- Gives a source back, unless it was taken; by primary key. The epoch stays, so that the next one is higher.
UPDATE outbox_sources SET worker = NULL, expires_at = 0 WHERE name = :source AND worker = :worker AND epoch = :held;
