-- Keeps where the cursor stood before it moves on; by primary key.
INSERT OR IGNORE INTO outbox_marks (destination, partition, low, at, worker)
SELECT destination, partition, low, updated_at, worker FROM outbox_cursors
WHERE partition = :partition AND destination = :destination;
