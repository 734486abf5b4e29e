-- What waits in these lanes for a paused tenant is due now; by `outbox_parked_state`.
UPDATE outbox_parked SET due_at = :now
WHERE state IN ('paused', 'replay') AND destination = :destination AND due_at > :now
  AND partition IN (SELECT value FROM json_each(:partitions));
