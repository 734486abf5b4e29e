-- How many messages lanes have not come to, and the age of the oldest in seconds. Reads only what lies beyond the slowest
-- cursor: the rest of its tick, by `outbox_seq_index`, and what is in no tick up to it, by `outbox_xid`. Lanes and exceptions are
-- few: they are hashed, and routes are asked once for each type of event.
WITH slowest AS MATERIALIZED (
    SELECT t.*, c.low_seq FROM (
        SELECT c.low_tick, min(c.low_seq) AS low_seq
        FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination
        WHERE d.active GROUP BY c.low_tick ORDER BY c.low_tick LIMIT 1) AS c
    JOIN outbox_ticks AS t ON t.n = c.low_tick
), beyond AS (
    SELECT o.* FROM slowest AS s JOIN outbox AS o ON o.xid >= s.ceiling
    UNION ALL
    -- CASE: not by `outbox_xid`, which has the whole tick.
    SELECT o.* FROM slowest AS s JOIN outbox AS o ON o.seq > s.low_seq AND o.seq <= s.last_seq
        AND CASE WHEN o.xid >= s.floor AND o.xid < s.ceiling THEN o.xid <> ALL (s.running) END
    UNION ALL
    SELECT o.* FROM slowest AS s CROSS JOIN unnest(s.running) AS r (xid)
    CROSS JOIN LATERAL (SELECT * FROM outbox WHERE xid = r.xid OFFSET 0) AS o
    UNION ALL
    SELECT o.* FROM slowest AS s CROSS JOIN unnest(s.late) AS r (xid)
    CROSS JOIN LATERAL (SELECT * FROM outbox WHERE xid = r.xid AND seq > s.low_seq OFFSET 0) AS o
), lanes AS MATERIALIZED (
    SELECT c.destination, c.partition, c.low_seq, c.done_seq, t.floor, t.ceiling, t.running, t.late
    FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination AND d.active
    JOIN outbox_ticks AS t ON t.n = c.low_tick
), held AS MATERIALIZED (
    SELECT h.destination, h.tenant, h.key, h.until_seq, u.floor, u.ceiling, u.running, u.late
    FROM outbox_held_keys AS h JOIN outbox_ticks AS u ON u.n = h.until_tick
), kinds AS (
    SELECT l.destination, b.event_type, b.destination AS named, count(*) AS messages, min(b.written_at) AS oldest
    FROM beyond AS b JOIN lanes AS l ON l.partition = b.partition
    WHERE NOT outbox_passed(b.xid, b.seq, l.floor, l.ceiling, l.running, l.late, l.low_seq)
      AND (b.seq = ANY (l.done_seq)) IS NOT TRUE
      AND NOT EXISTS (SELECT 1 FROM outbox_parked AS p WHERE p.seq = b.seq AND p.destination = l.destination)
      AND NOT EXISTS (
          SELECT 1 FROM held AS h
          WHERE h.destination = l.destination AND h.tenant = coalesce(b.tenant, '')
            AND h.key = CASE b.key WHEN '' THEN b.aggregate_type || '/' || b.aggregate_id ELSE b.key END
            AND outbox_passed(b.xid, b.seq, h.floor, h.ceiling, h.running, h.late, h.until_seq))
    GROUP BY l.destination, b.event_type, b.destination
)
SELECT k.destination::text AS destination, 'pending' AS what, sum(k.messages)::bigint AS messages,
       extract(epoch FROM now() - min(k.oldest))::float8 AS oldest_seconds
FROM kinds AS k
WHERE CASE WHEN k.named IS NOT NULL THEN k.named = k.destination
           ELSE EXISTS (SELECT 1 FROM outbox_routes AS r WHERE r.destination = k.destination AND k.event_type LIKE r.pattern) END
GROUP BY k.destination;
