-- What destinations that are no longer named had set aside of it; by primary key.
DELETE FROM outbox_parked WHERE seq = :seq;
