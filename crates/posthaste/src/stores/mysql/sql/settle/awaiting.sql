-- The hand-over of a message that waits for its answer, and for how long still; by `outbox_id`, the message's range and primary key.
SELECT p.position, p.progress, TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), p.due_at) DIV 1000 AS left_ms
FROM outbox AS o FORCE INDEX (outbox_id)
STRAIGHT_JOIN outbox_levels AS v
STRAIGHT_JOIN outbox_ranges AS r FORCE INDEX (outbox_ranges_cell)
    ON r.cell = o.seq DIV v.size * 4 + v.level AND r.first_seq <= o.seq AND r.last_seq >= o.seq
STRAIGHT_JOIN outbox_parked AS p FORCE INDEX (PRIMARY)
    ON p.position = r.position + (o.seq - r.first_seq) AND p.destination = :destination
WHERE o.id = :id AND p.state = 'awaiting'
