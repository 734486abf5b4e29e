-- A parked delivery is settled; by primary key.
DELETE FROM outbox_parked WHERE seq = :seq AND destination = :destination;
