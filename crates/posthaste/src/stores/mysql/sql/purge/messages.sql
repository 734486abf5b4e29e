-- Removes messages; by primary key.
DELETE FROM outbox WHERE seq IN ({seqs})
