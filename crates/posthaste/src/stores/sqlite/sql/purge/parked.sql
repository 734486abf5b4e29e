-- What was discarded of it, and what destinations that are no longer named had parked; by primary key.
DELETE FROM outbox_parked WHERE seq = :seq;
