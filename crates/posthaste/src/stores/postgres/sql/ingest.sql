-- Moves the checkpoint of a source, and counts, if the worker still holds it under this epoch; in the transaction that stores the
-- messages. By primary key; no index knows what changes. Whoever wants to take the source over waits for it.
UPDATE outbox_sources SET
    checkpoint = $4, moved_at = now(), last_event = coalesce($5, last_event), events = events + $6, stored = stored + $7,
    duplicates = duplicates + $8, ignored = ignored + $9, refused = refused + $10
WHERE name = $1 AND worker = $2 AND epoch = $3;
