-- Who may write under which epoch: the worker that took the partition last, even late, unless it gave it back; nobody, if this is
-- another server than the one that the positions are of. The rows stay as they are until the commit. By primary key.
SELECT l.`partition`, l.epoch, l.worker,
       (SELECT COUNT(*) FROM outbox_destinations AS d WHERE d.name = :destination) AS is_known
FROM outbox_leases AS l
WHERE l.`partition` IN ({partitions}) AND l.worker IS NOT NULL
  AND EXISTS (SELECT 1 FROM outbox_state AS s WHERE s.one = 1 AND s.server = {server})
ORDER BY l.`partition` LOCK IN SHARE MODE
