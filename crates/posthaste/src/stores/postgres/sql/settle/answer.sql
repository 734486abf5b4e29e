-- Keeps the answer, and has the lane take note: due at once. Only if the hand-over still waits as it did when it was looked at, and its time
-- is not over. By primary key.
UPDATE outbox_parked SET progress = $4, due_at = clock_timestamp()
WHERE seq = $1 AND destination = $2 AND state = 'awaiting' AND progress = $3 AND due_at > clock_timestamp();
