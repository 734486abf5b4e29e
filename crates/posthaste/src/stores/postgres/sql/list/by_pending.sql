-- Candidates beyond the slowest cursor, in the order of their sequence numbers: the rest of its tick; everything in later ticks or in
-- none, from the first number that later ticks and `outbox_xid` know of; and the messages of transactions that were late or may be,
-- by `outbox_xid`.
WITH slowest AS MATERIALIZED (
    SELECT t.*, c.low_seq FROM (
        SELECT c.low_tick, min(c.low_seq) AS low_seq
        FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination
        WHERE d.active GROUP BY c.low_tick ORDER BY c.low_tick LIMIT 1) AS c
    JOIN outbox_ticks AS t ON t.n = c.low_tick
), later AS MATERIALIZED (
    SELECT s.ceiling, least(
        (SELECT min(t.first_seq) FROM outbox_ticks AS t WHERE t.n > s.n),
        (SELECT min(o.seq) FROM (
            SELECT seq FROM outbox WHERE xid >= (SELECT ceiling FROM outbox_ticks ORDER BY n DESC LIMIT 1) OFFSET 0) AS o)
        ) AS first_seq
    FROM slowest AS s
), late_or_running AS MATERIALIZED (
    SELECT unnest(s.late || s.running) AS xid FROM slowest AS s
    UNION SELECT unnest(t.late) FROM slowest AS s JOIN outbox_ticks AS t ON t.n > s.n
    UNION SELECT unnest(running) FROM (SELECT running FROM outbox_ticks ORDER BY n DESC LIMIT 1) AS newest
)
-- CASE: not by `outbox_xid`, which knows no order of numbers over transactions.
SELECT seq FROM (
    SELECT o.seq FROM (SELECT * FROM later WHERE first_seq IS NOT NULL) AS l CROSS JOIN LATERAL (
        SELECT seq FROM outbox
        WHERE seq > greatest($1, l.first_seq - 1) AND CASE WHEN xid >= l.ceiling THEN true END
        ORDER BY seq LIMIT $2) AS o
    UNION
    SELECT o.seq FROM slowest AS s CROSS JOIN LATERAL (
        SELECT seq FROM outbox
        WHERE seq > greatest($1, s.low_seq) AND seq <= s.last_seq
          AND CASE WHEN xid >= s.floor AND xid < s.ceiling THEN xid <> ALL (s.running) END
        ORDER BY seq LIMIT $2) AS o
    UNION
    SELECT o.seq FROM late_or_running AS r
    CROSS JOIN LATERAL (SELECT seq FROM outbox WHERE xid = r.xid AND seq > $1 ORDER BY seq LIMIT $2) AS o) AS candidates
ORDER BY seq LIMIT $2;
