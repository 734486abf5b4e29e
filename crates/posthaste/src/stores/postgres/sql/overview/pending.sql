-- How many messages lanes have not come to, and the age of the oldest in seconds. For each destination at most its part of $1 messages
-- beyond its slowest cursor are read: the rest of its tick, by `outbox_seq_index`, and what is in no tick up to it, by `outbox_xid`. If
-- there are more, the number is about right: as many of those between its cursors and the end, by their numbers, as are its own among
-- those read. Lanes and exceptions are few: they are hashed, and routes are asked once for each type of event.
WITH lanes AS MATERIALIZED (
    SELECT c.destination, c.partition, c.low_tick, c.low_seq, c.done_seq, t.floor, t.ceiling, t.running, t.late, t.last_seq
    FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination AND d.active
    JOIN outbox_ticks AS t ON t.n = c.low_tick
), slowest AS MATERIALIZED (
    SELECT DISTINCT ON (destination) *, greatest(1000, $1::bigint / (SELECT count(DISTINCT destination) FROM lanes)) AS most
    FROM lanes ORDER BY destination, low_tick, low_seq
), beyond AS MATERIALIZED (
    SELECT s.destination AS lane, s.most, o.* FROM slowest AS s CROSS JOIN LATERAL (
        (SELECT xid, seq, partition, event_type, destination, tenant, key, aggregate_type, aggregate_id, written_at
         FROM outbox WHERE xid >= s.ceiling ORDER BY xid, seq LIMIT s.most)
        UNION ALL
        -- CASE: not by `outbox_xid`, which has the whole tick.
        (SELECT xid, seq, partition, event_type, destination, tenant, key, aggregate_type, aggregate_id, written_at
         FROM outbox WHERE seq > s.low_seq AND seq <= s.last_seq
             AND CASE WHEN xid >= s.floor AND xid < s.ceiling THEN xid <> ALL (s.running) END
         ORDER BY seq LIMIT s.most)
        UNION ALL
        (SELECT l.* FROM unnest(s.running) AS r (xid) CROSS JOIN LATERAL (
            SELECT xid, seq, partition, event_type, destination, tenant, key, aggregate_type, aggregate_id, written_at
            FROM outbox WHERE xid = r.xid OFFSET 0) AS l LIMIT s.most)
        UNION ALL
        (SELECT l.* FROM unnest(s.late) AS r (xid) CROSS JOIN LATERAL (
            SELECT xid, seq, partition, event_type, destination, tenant, key, aggregate_type, aggregate_id, written_at
            FROM outbox WHERE xid = r.xid AND seq > s.low_seq OFFSET 0) AS l LIMIT s.most)) AS o
), reach AS MATERIALIZED (
    SELECT min(seq) AS first_seq, max(seq) AS last_seq FROM beyond
), parked AS MATERIALIZED (
    SELECT p.seq, p.destination FROM reach AS r CROSS JOIN LATERAL (
        SELECT seq, destination FROM outbox_parked WHERE seq BETWEEN r.first_seq AND r.last_seq OFFSET 0) AS p
), held AS MATERIALIZED (
    SELECT h.destination, h.tenant, h.key, h.until_seq, u.floor, u.ceiling, u.running, u.late
    FROM outbox_held_keys AS h JOIN outbox_ticks AS u ON u.n = h.until_tick
    WHERE EXISTS (SELECT 1 FROM beyond)
), kinds AS MATERIALIZED (
    SELECT b.lane, b.most, b.event_type, b.destination AS named, count(*) AS messages, count(*) FILTER (WHERE p.pending) AS pending,
           min(b.written_at) FILTER (WHERE p.pending) AS oldest
    FROM beyond AS b JOIN lanes AS l ON l.partition = b.partition AND l.destination = b.lane
    LEFT JOIN parked AS k ON k.seq = b.seq AND k.destination = b.lane
    LEFT JOIN held AS h ON h.destination = b.lane AND h.tenant = coalesce(b.tenant, '')
        AND h.key = CASE b.key WHEN '' THEN b.aggregate_type || '/' || b.aggregate_id ELSE b.key END
    CROSS JOIN LATERAL (SELECT k.seq IS NULL AND (b.seq = ANY (l.done_seq)) IS NOT TRUE
        AND NOT outbox_passed(b.xid, b.seq, l.floor, l.ceiling, l.running, l.late, l.low_seq)
        AND NOT outbox_passed(b.xid, b.seq, h.floor, h.ceiling, h.running, h.late, h.until_seq) AS pending) AS p
    GROUP BY b.lane, b.most, b.event_type, b.destination
), counted AS (
    SELECT k.lane, max(k.most) AS most, sum(k.messages)::bigint AS messages, coalesce(sum(k.messages) FILTER (WHERE r.taken), 0) AS taken,
           coalesce(sum(k.pending) FILTER (WHERE r.taken), 0)::bigint AS pending, min(k.oldest) FILTER (WHERE r.taken) AS oldest
    FROM kinds AS k CROSS JOIN LATERAL (
        SELECT CASE WHEN k.named IS NOT NULL THEN k.named = k.lane
            ELSE EXISTS (SELECT 1 FROM outbox_routes AS r WHERE r.destination = k.lane AND k.event_type LIKE r.pattern) END AS taken) AS r
    GROUP BY k.lane
), numbers AS MATERIALIZED (
    SELECT (SELECT min(seq) FROM outbox) AS first_seq, (SELECT max(seq) FROM outbox) AS last_seq
)
SELECT c.lane::text AS destination, 'pending' AS what, c.messages >= c.most AS estimated,
       CASE WHEN c.messages < c.most THEN c.pending ELSE greatest(c.pending, (c.taken / c.messages * (
           SELECT avg(greatest(0, n.last_seq - greatest(l.low_seq, n.first_seq - 1))) FROM lanes AS l CROSS JOIN numbers AS n
           WHERE l.destination = c.lane))::bigint) END AS messages,
       extract(epoch FROM now() - c.oldest)::float8 AS oldest_seconds
FROM counted AS c WHERE c.pending > 0;
