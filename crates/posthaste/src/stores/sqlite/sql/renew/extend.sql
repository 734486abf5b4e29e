-- Extends a lease, even a late one, unless it was given back or taken; by primary key.
UPDATE outbox_leases SET expires_at = :expires_at
WHERE partition = :partition AND epoch = :epoch AND worker = :worker;
