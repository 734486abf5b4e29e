-- Keeps where cursors stood before they move on, if that is long enough after the mark before; by primary key.
INSERT IGNORE INTO outbox_marks (destination, `partition`, low, at, worker)
SELECT destination, `partition`, low, updated_at, worker FROM outbox_cursors
WHERE destination = :destination AND `partition` IN ({partitions})
  AND marked_at <= UTC_TIMESTAMP(6) - INTERVAL :interval MICROSECOND
