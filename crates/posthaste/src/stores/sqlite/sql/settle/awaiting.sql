-- The hand-over of a message that waits for its answer, by `outbox_id` and primary key.
SELECT p.seq AS seq, p.due_at AS due_at, p.progress AS progress
FROM outbox AS o
JOIN outbox_parked AS p ON p.seq = o.seq AND p.destination = :destination
WHERE o.id = :id AND p.state = 'awaiting';
