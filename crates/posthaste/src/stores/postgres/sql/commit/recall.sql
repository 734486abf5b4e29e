-- What waits in these lanes for a paused tenant is due now; by `outbox_parked_state`, once for all of the lanes.
UPDATE outbox_parked AS p SET due_at = now()
WHERE p.state IN ('paused', 'replay')
  -- CASE: not by `outbox_parked_due`, which has everything that is parked for the destination, and not once for each lane.
  AND CASE WHEN p.due_at > now() THEN (p.destination, p.partition) IN (SELECT * FROM unnest($1::text[], $2::integer[])) END;
