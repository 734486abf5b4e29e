-- The lane shall discard it: due at once. By primary key.
UPDATE outbox_parked SET state = 'discarding', due_at = now() WHERE seq = $1 AND destination = $2;
