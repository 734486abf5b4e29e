-- Who may write under this epoch: the worker that took the partition last, even late, unless it gave it back. With it, whether
-- the destination has a lane, and when that was last marked. Both by primary key.
SELECT l.worker AS worker, c.marked_at AS marked_at, c.updated_at AS updated_at
FROM outbox_leases AS l
LEFT JOIN outbox_cursors AS c ON c.partition = l.partition AND c.destination = :destination
WHERE l.partition = :partition AND l.epoch = :epoch AND l.worker IS NOT NULL;
