-- The lane shall discard it: due at once; by primary key.
UPDATE outbox_parked SET state = 'discarding', due_at = :now WHERE seq = :seq AND destination = :destination;
