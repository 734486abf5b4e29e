-- What waits for its time is due now; by primary key.
UPDATE outbox_parked SET due_at = UTC_TIMESTAMP(6) WHERE position = :position AND destination = :destination
