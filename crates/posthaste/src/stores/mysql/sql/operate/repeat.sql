-- What was delivered is delivered once more, now, and holds nobody; by primary key. The message stays until the commit.
INSERT INTO outbox_parked (
    position, destination, seq, `partition`, tenant, `key`, state, holds, attempts, kills, due_at
)
SELECT :position, :destination, o.seq, o.`partition`, IFNULL(o.tenant, ''), o.`key`, 'replay', FALSE, 0, 0, UTC_TIMESTAMP(6)
FROM outbox_ranges AS r FORCE INDEX (PRIMARY)
STRAIGHT_JOIN outbox AS o FORCE INDEX (PRIMARY) ON o.seq = r.first_seq + (:position - r.position)
WHERE r.position > :position - 1024 AND r.position <= :position AND o.seq <= r.last_seq
LOCK IN SHARE MODE
