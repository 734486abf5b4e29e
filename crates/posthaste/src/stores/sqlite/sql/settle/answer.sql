-- Keeps the answer, and has the lane take note: due at once; by primary key. In the transaction that found it awaiting.
UPDATE outbox_parked SET progress = :progress, due_at = :now WHERE seq = :seq AND destination = :destination;
