-- What waits for a tenant is looked at again soon; by `outbox_parked_state`.
UPDATE outbox_parked SET due_at = least(due_at, now() + $2::bigint * interval '1 microsecond')
WHERE state IN ('paused', 'replay')
  -- CASE: not by `outbox_parked_due`, which has everything that is parked for the destination.
  AND CASE WHEN due_at IS NOT NULL THEN destination = $1 END;
