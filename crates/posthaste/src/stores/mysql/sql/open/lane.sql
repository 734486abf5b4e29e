-- The cursors of the lanes whose lease is still held, with its epoch, on the server that the positions are of; both by primary key.
SELECT l.`partition`, l.epoch, c.low, c.done
FROM outbox_leases AS l
JOIN outbox_cursors AS c ON c.`partition` = l.`partition` AND c.destination = :destination
WHERE l.`partition` IN ({partitions}) AND l.worker IS NOT NULL
  AND EXISTS (SELECT 1 FROM outbox_state AS s WHERE s.one = 1 AND s.server = {server})
