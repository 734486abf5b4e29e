-- Moves the checkpoint of a source, and counts, in the transaction that stores the messages; by primary key.
UPDATE outbox_sources SET
    checkpoint = :checkpoint, moved_at = UTC_TIMESTAMP(6), last_event = COALESCE(:last_event, last_event),
    events = events + :events, `stored` = `stored` + :stored, duplicates = duplicates + :duplicates,
    ignored = ignored + :ignored, refused = refused + :refused
WHERE name = :source
