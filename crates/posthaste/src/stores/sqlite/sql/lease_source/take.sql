-- Extends the lease that the worker holds under this epoch, or takes one that is free under a new epoch, higher than all before. A paused
-- source goes to nobody. By primary key.
UPDATE outbox_sources SET
    epoch = CASE WHEN worker = :worker AND epoch = :held THEN epoch ELSE epoch + 1 END,
    worker = :worker, expires_at = :expires_at, report = :report
WHERE name = :source AND NOT paused AND (worker = :worker AND epoch = :held OR worker IS NULL OR expires_at <= :now)
RETURNING epoch, checkpoint;
