-- What an operator changed. Nobody holds the source afterwards, so that whoever reads it begins anew. By primary key; each assignment
-- sees the ones before.
UPDATE outbox_sources SET
    moved_at = IF(checkpoint <=> :checkpoint, moved_at, UTC_TIMESTAMP(6)),
    paused = :paused, checkpoint = :checkpoint, report = :report, worker = NULL, expires_at = '1970-01-01'
WHERE name = :source
