-- Moves a lane's cursor; by primary key. The only write of a batch in which nothing failed.
UPDATE outbox_cursors SET low = :low, done = :done, updated_at = :now, worker = :worker, marked_at = :marked_at
WHERE partition = :partition AND destination = :destination;
