-- What an operator changed. Nobody holds the source afterwards, so that whoever reads it begins anew. By primary key.
UPDATE outbox_sources SET
    paused = $2, checkpoint = $3, report = $4, worker = NULL, expires_at = '-infinity',
    moved_at = CASE WHEN checkpoint IS NOT DISTINCT FROM $3 THEN moved_at ELSE now() END
WHERE name = $1;
