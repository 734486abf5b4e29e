-- A cursor for every partition, where there is none yet.
INSERT IGNORE INTO outbox_cursors (`partition`, destination, low, done, updated_at, marked_at)
SELECT `partition`, :destination, :low, '', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) FROM outbox_leases
