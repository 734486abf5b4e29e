-- Keeps the answer, and has the lane take note: due at once. Only if the hand-over still waits as it did when it was looked at, and its time
-- is not over. By primary key.
UPDATE outbox_parked SET progress = :progress, due_at = UTC_TIMESTAMP(6)
WHERE position = :position AND destination = :destination AND state = 'awaiting' AND progress = :before
  AND due_at > UTC_TIMESTAMP(6)
