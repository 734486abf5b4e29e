-- Extends the lease that the worker holds under this epoch, or takes one that is free under a new epoch, higher than all before. A paused
-- source goes to nobody. Of two who want the same, the second waits for the first and finds it taken. By primary key.
UPDATE outbox_sources SET
    epoch = CASE WHEN worker = $2 AND epoch = $3 THEN epoch ELSE epoch + 1 END,
    worker = $2, expires_at = now() + $4::bigint * interval '1 microsecond', report = $5
WHERE name = $1 AND NOT paused AND (worker = $2 AND epoch = $3 OR worker IS NULL OR expires_at <= now())
RETURNING epoch, checkpoint;
