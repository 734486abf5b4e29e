-- Moves the cursors of a destination, all of which are there; by primary key. The only write of a batch in which nothing failed.
INSERT INTO outbox_cursors (`partition`, destination, low, done, updated_at, marked_at, worker)
VALUES {cursors}
ON DUPLICATE KEY UPDATE low = VALUES(low), done = VALUES(done), updated_at = VALUES(updated_at), worker = VALUES(worker)
