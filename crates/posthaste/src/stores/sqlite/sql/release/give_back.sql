-- Gives a lease back, unless it was taken; by primary key. The epoch stays, so that the next one is higher.
UPDATE outbox_leases SET worker = NULL, expires_at = 0
WHERE partition = :partition AND epoch = :epoch AND worker = :worker;
