-- A parked delivery is settled; by primary key.
DELETE FROM outbox_parked WHERE position = :position AND destination = :destination
