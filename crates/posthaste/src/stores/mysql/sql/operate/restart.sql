-- What failed or was discarded starts anew, now. Whether it holds its key and what its sink remembers stay; by primary key.
UPDATE outbox_parked SET state = 'retrying', attempts = 0, kills = 0, error = NULL, due_at = UTC_TIMESTAMP(6)
WHERE position = :position AND destination = :destination
