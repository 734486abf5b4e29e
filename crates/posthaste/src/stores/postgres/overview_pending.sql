-- How many messages lanes have not come to, and the age of the oldest in seconds. Looks only at what lies beyond the slowest
-- cursor: transactions that ended after the tick before it, by `outbox_xid`.
WITH slowest AS MATERIALIZED (
    SELECT t.* FROM outbox_ticks AS t WHERE t.n = (
        SELECT min(c.low_tick)
        FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination WHERE d.active)
), beyond AS (
    SELECT o.seq FROM slowest JOIN outbox AS o ON o.xid >= slowest.floor
    UNION ALL
    SELECT o.seq FROM slowest CROSS JOIN unnest(slowest.late || slowest.running) AS r (xid)
    CROSS JOIN LATERAL (SELECT seq FROM outbox WHERE xid = r.xid AND xid < slowest.floor OFFSET 0) AS o
)
SELECT s.destination::text, 'pending', count(*), extract(epoch FROM now() - min(s.written_at))::float8
FROM beyond CROSS JOIN LATERAL (
    SELECT destination, written_at FROM outbox_status AS s WHERE s.seq = beyond.seq AND s.status = 'pending' OFFSET 0) AS s
GROUP BY s.destination;
