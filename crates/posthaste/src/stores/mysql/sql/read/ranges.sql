-- The newest position, and the ranges that follow a position, in order; without one, a single row. In one snapshot, so everything up to
-- the newest position is in these ranges. By primary key.
SELECT s.newest, r.position, r.first_seq, r.last_seq
FROM outbox_state AS s
LEFT JOIN outbox_ranges AS r ON r.position >= COALESCE(
    (SELECT MAX(b.position) FROM outbox_ranges AS b WHERE b.position <= :after + 1), 0) AND r.position <= :until
WHERE s.one = 1
ORDER BY r.position
LIMIT {limit}
