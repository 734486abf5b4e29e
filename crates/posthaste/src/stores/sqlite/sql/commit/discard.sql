-- The lane took note of what someone discarded, if it still is; by primary key.
UPDATE outbox_parked SET state = 'discarded', holds = 0, due_at = NULL
WHERE seq = :seq AND destination = :destination AND state = 'discarding';
