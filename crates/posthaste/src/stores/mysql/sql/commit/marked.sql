-- Takes note of the time of the marks; by primary key.
UPDATE outbox_cursors SET marked_at = updated_at
WHERE destination = :destination AND `partition` IN ({partitions})
  AND marked_at <= UTC_TIMESTAMP(6) - INTERVAL :interval MICROSECOND
