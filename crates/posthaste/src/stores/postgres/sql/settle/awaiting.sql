-- The hand-over of a message that waits for its answer, and for how long still; by `outbox_id`, which alone serves the inner part, and by
-- primary key.
SELECT p.seq, p.progress, (extract(epoch FROM p.due_at - clock_timestamp()) * 1000)::bigint AS left_ms
FROM (SELECT seq FROM outbox WHERE id = $1 OFFSET 0) AS o
JOIN outbox_parked AS p ON p.seq = o.seq AND p.destination = $2
WHERE p.state = 'awaiting'
ORDER BY p.seq LIMIT 1;
