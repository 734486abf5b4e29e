-- One message by `outbox_id`, with its position.
SELECT {message_columns},
    r.position + (o.seq - r.first_seq) AS position, UTC_TIMESTAMP(6) AS now
FROM outbox AS o FORCE INDEX (outbox_id)
STRAIGHT_JOIN outbox_levels AS v
STRAIGHT_JOIN outbox_ranges AS r FORCE INDEX (outbox_ranges_cell)
    ON r.cell = o.seq DIV v.size * 4 + v.level AND r.first_seq <= o.seq AND r.last_seq >= o.seq
WHERE o.id = :id
