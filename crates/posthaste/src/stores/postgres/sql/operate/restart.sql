-- A delivery that failed or was discarded starts anew, now. Whether it holds its key and what its sink remembers stay. By primary key.
UPDATE outbox_parked SET state = 'retrying', attempts = 0, kills = 0, error = NULL, due_at = now()
WHERE seq = $1 AND destination = $2;
