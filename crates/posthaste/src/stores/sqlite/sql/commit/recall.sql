-- What waits in these lanes for a paused tenant is due now; by `outbox_parked_state`, and not by `outbox_parked_due`, which has
-- everything that is parked for the destination.
UPDATE outbox_parked INDEXED BY outbox_parked_state SET due_at = :now
WHERE state IN ('paused', 'replay') AND destination = :destination AND due_at > :now
  AND partition IN (SELECT value FROM json_each(:partitions));
