-- What waits for its time is due now; by primary key.
UPDATE outbox_parked SET due_at = now() WHERE seq = $1 AND destination = $2;
