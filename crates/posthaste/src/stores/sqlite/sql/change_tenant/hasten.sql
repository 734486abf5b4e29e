-- What waits for a tenant is looked at again soon; by `outbox_parked_state`.
UPDATE outbox_parked SET due_at = min(due_at, :soon) WHERE state IN ('paused', 'replay') AND destination = :destination;
