-- Moves the checkpoint of a source, and counts, if the worker still holds it under this epoch; in the transaction that stores the
-- messages. By primary key.
UPDATE outbox_sources SET
    checkpoint = :checkpoint, moved_at = :now, last_event = coalesce(:last_event, last_event),
    events = events + :events, stored = stored + :stored, duplicates = duplicates + :duplicates,
    ignored = ignored + :ignored, refused = refused + :refused
WHERE name = :source AND worker = :worker AND epoch = :epoch;
