-- The lane took note of what someone discarded, if it still is; by primary key.
UPDATE outbox_parked SET state = 'discarded', holds = FALSE, due_at = NULL
WHERE position = :position AND destination = :destination AND state = 'discarding'
