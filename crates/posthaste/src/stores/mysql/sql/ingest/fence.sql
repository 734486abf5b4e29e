-- Whether the worker still holds the source under this epoch. The row stays as it is until the end of the transaction; by primary key.
SELECT 1 FROM outbox_sources WHERE name = :source AND worker = :worker AND epoch = :epoch FOR UPDATE
