-- The newest position, and the ranges that follow a position, in order; without one, a single row. In one snapshot, so everything up to
-- the newest position is in these ranges. Walks the primary key and stops at the limit: joined with the row of the state, the server
-- read and sorted all ranges that follow.
SELECT s.newest, r.position, r.first_seq, r.last_seq
FROM outbox_state AS s
LEFT JOIN (
    SELECT position, first_seq, last_seq FROM outbox_ranges FORCE INDEX (PRIMARY)
    WHERE position >= COALESCE((SELECT MAX(b.position) FROM outbox_ranges AS b WHERE b.position <= :after + 1), 0) AND position <= :until
    ORDER BY position LIMIT {limit}) AS r ON TRUE
WHERE s.one = 1
ORDER BY r.position
