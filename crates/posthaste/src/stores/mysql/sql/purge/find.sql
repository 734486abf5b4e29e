-- The next messages from the oldest on, each with its position: whether they are old enough, and if so whether all who take them are
-- done with them. Before a destination is registered nobody knows who wants what, so nothing may go. By primary key. TiDB asks for all
-- messages at once, so it is told which.
SELECT o.seq, r.position + (o.seq - r.first_seq) AS position,
       o.recorded_at <= UTC_TIMESTAMP(6) - INTERVAL :older_than MICROSECOND AS is_old,
       EXISTS (SELECT 1 FROM outbox_destinations AS d WHERE d.active) AND r.position IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM outbox_deliveries AS s
                       WHERE s.seq = o.seq AND s.status NOT IN ('delivered', 'discarded')/*[TiDB]*/
                       AND s.seq > :after AND s.seq <= (SELECT MAX(b.seq) FROM (
                           SELECT seq FROM outbox WHERE seq > :after ORDER BY seq LIMIT {limit}) AS b)/*[end]*/) AS is_settled
FROM outbox AS o FORCE INDEX (PRIMARY)
LEFT JOIN outbox_ranges AS r FORCE INDEX (outbox_ranges_block)
    ON r.block = o.seq DIV 1024 AND r.first_seq <= o.seq AND r.last_seq >= o.seq
WHERE o.seq > :after
ORDER BY o.seq
LIMIT {limit}
