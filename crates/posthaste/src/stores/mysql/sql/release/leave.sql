-- The worker is gone; by primary key.
DELETE FROM outbox_workers WHERE worker = :worker
