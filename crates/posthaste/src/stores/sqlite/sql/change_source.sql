-- What an operator changed. Nobody holds the source afterwards, so that whoever reads it begins anew. By primary key.
UPDATE outbox_sources SET
    paused = :paused, checkpoint = :checkpoint, report = :report, worker = NULL, expires_at = 0,
    moved_at = CASE WHEN checkpoint IS :checkpoint THEN moved_at ELSE :now END
WHERE name = :source;
