-- How many messages lanes have not come to, and the age of the oldest in seconds. Looks only at what lies beyond the slowest
-- cursor: transactions that ended after the tick before it, by `outbox_xid`.
WITH slowest AS MATERIALIZED (
    SELECT t.* FROM outbox_ticks AS t WHERE t.n = (
        SELECT min(c.low_tick)
        FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination WHERE d.active))
SELECT s.destination::text, 'pending', count(*), extract(epoch FROM now() - min(s.written_at))::float8
FROM slowest JOIN outbox_status AS s ON s.xid >= slowest.floor
WHERE s.status = 'pending' GROUP BY s.destination
UNION ALL
SELECT s.destination::text, 'pending', count(*), extract(epoch FROM now() - min(s.written_at))::float8
FROM slowest CROSS JOIN unnest(slowest.late || slowest.running) AS r (xid)
JOIN outbox_status AS s ON s.xid = r.xid AND s.xid < slowest.floor
WHERE s.status = 'pending' GROUP BY s.destination;
