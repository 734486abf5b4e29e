-- The lane shall let it go: due at once; by primary key.
UPDATE outbox_parked SET state = 'discarding', due_at = now() WHERE seq = $1 AND destination = $2;
