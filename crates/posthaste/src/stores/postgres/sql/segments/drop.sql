-- Drops a segment, unless something keeps it or is in the way.
SELECT outbox_drop_segment($1) AS messages;
