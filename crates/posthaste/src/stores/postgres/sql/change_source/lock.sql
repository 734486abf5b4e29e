-- Lets nobody else change a source until the end of the transaction; by primary key.
SELECT 1 FROM outbox_sources WHERE name = $1 FOR UPDATE;
