-- Takes lanes over: the cursors of those whose lease is still held under its epoch, stamped with it. A commit under an older one
-- that is on its way finds the stamp and changes nothing. By primary keys.
UPDATE outbox_cursors AS c SET epoch = l.epoch
FROM unnest($2::integer[], $3::bigint[]) AS asked (partition, epoch)
JOIN outbox_leases AS l ON l.partition = asked.partition AND l.epoch = asked.epoch AND l.worker IS NOT NULL
WHERE c.partition = l.partition AND c.destination = $1 AND c.epoch <= l.epoch
RETURNING c.partition, c.low_tick, c.low_seq, c.done_tick, c.done_seq;
