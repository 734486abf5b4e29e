-- Deliveries that lanes have not come to, and when the oldest was written. Reads what lies beyond the slowest cursor, by
-- primary key.
SELECT s.destination, count(*), min(o.recorded_at)
FROM outbox_status AS s JOIN outbox AS o ON o.seq = s.seq
WHERE s.status = 'pending' AND s.seq > (
    SELECT coalesce(min(c.low), 0)
    FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination WHERE d.active)
GROUP BY s.destination;
