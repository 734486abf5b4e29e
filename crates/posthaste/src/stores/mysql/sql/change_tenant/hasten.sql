-- What waits for a tenant is looked at again soon; by `outbox_parked_state`.
UPDATE outbox_parked SET due_at = LEAST(due_at, UTC_TIMESTAMP(6) + INTERVAL :soon MICROSECOND)
WHERE state IN ('paused', 'replay') AND destination = :destination
