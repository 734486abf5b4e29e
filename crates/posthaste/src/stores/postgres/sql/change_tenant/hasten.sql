-- What waits for a tenant is looked at again soon; by `outbox_parked_state`.
UPDATE outbox_parked SET due_at = least(due_at, now() + $2::bigint * interval '1 microsecond')
WHERE state IN ('paused', 'replay') AND destination = $1 AND due_at IS NOT NULL;
