-- Extends a lease, or takes a source under a new epoch, in the transaction that has found it free; by primary key.
UPDATE outbox_sources SET
    epoch = :epoch, worker = :worker, expires_at = UTC_TIMESTAMP(6) + INTERVAL :ttl MICROSECOND, report = :report
WHERE name = :source
