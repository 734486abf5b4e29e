-- Gives leases back, unless they were taken; by primary key. The epochs stay, so that the next ones are higher.
UPDATE outbox_leases SET worker = NULL, expires_at = '1970-01-01' WHERE worker = :worker AND ({leases})
