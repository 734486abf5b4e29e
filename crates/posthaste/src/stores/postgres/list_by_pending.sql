-- Candidates beyond the slowest cursor: of transactions that ended after the tick before it, by `outbox_xid`, and then by
-- sequence number.
WITH slowest AS MATERIALIZED (
    SELECT t.* FROM outbox_ticks AS t WHERE t.n = (
        SELECT coalesce(min(c.low_tick), 0)
        FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination WHERE d.active))
SELECT seq FROM (
    (SELECT o.seq FROM slowest AS s JOIN outbox AS o ON o.seq > $1 AND o.seq >= coalesce(s.first_seq, 0) AND o.xid >= s.floor
     ORDER BY o.seq LIMIT $2)
    UNION
    (SELECT o.seq FROM slowest AS s CROSS JOIN unnest(s.late || s.running) AS r (xid)
     CROSS JOIN LATERAL (SELECT seq FROM outbox WHERE xid = r.xid AND seq > $1 ORDER BY seq LIMIT $2) AS o
     ORDER BY o.seq LIMIT $2)) AS candidates
ORDER BY seq LIMIT $2;
