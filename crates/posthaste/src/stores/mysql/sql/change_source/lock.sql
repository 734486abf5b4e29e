-- Lets nobody else change a source until the end of the transaction; by primary key.
SELECT 1 FROM outbox_sources WHERE name = :source FOR UPDATE
