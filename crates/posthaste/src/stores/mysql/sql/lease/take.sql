-- Takes those of these partitions that are still free, each under a new epoch, higher than all before. Of two workers that want the
-- same one, the second waits for the first and finds it taken. By primary key; each assignment sees the ones before.
UPDATE outbox_leases
SET expired_before = worker IS NOT NULL, worker = :worker, epoch = epoch + 1,
    expires_at = UTC_TIMESTAMP(6) + INTERVAL :ttl MICROSECOND, claim = :claim
WHERE `partition` IN ({partitions}) AND (worker IS NULL OR expires_at <= UTC_TIMESTAMP(6))
