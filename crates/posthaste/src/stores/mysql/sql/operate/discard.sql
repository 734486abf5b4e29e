-- The lane shall discard it: due at once; by primary key.
UPDATE outbox_parked SET state = 'discarding', due_at = UTC_TIMESTAMP(6)
WHERE position = :position AND destination = :destination
