-- Its timeline; by primary key.
DELETE FROM outbox_attempts WHERE seq = :seq;
