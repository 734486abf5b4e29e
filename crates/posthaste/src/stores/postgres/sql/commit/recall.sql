-- What waits in these lanes for a paused tenant is due now; by `outbox_parked_state`.
UPDATE outbox_parked AS p SET due_at = now() FROM unnest($1::text[], $2::integer[]) AS lane (destination, partition)
WHERE p.state IN ('paused', 'replay') AND p.destination = lane.destination AND p.partition = lane.partition AND p.due_at > now();
