-- What waits in these lanes for a paused tenant is due now; by `outbox_parked_state`.
UPDATE outbox_parked SET due_at = UTC_TIMESTAMP(6)
WHERE state IN ('paused', 'replay') AND destination = :destination AND due_at > UTC_TIMESTAMP(6) AND `partition` IN ({partitions})
