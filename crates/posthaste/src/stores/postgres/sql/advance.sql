-- Makes the next tick if there is something to put into it, and returns it; else the newest there is. Its snapshot is that of the
-- statement, so what it calls visible is exactly what it counts. Finds new messages by `outbox_xid`: those of transactions that
-- began after the last tick, and those of the few that were running then. Writes nothing when there is nothing new.
WITH previous AS MATERIALIZED (
    SELECT * FROM outbox_ticks ORDER BY n DESC LIMIT 1
), late AS MATERIALIZED (
    SELECT r.xid, w.end_seq, w.messages, w.bytes
    FROM previous CROSS JOIN unnest(previous.running) AS r (xid)
    CROSS JOIN LATERAL (
        SELECT max(o.seq) AS end_seq, count(*) AS messages, sum(octet_length(o.payload)) AS bytes
        FROM outbox AS o WHERE o.xid = r.xid) AS w
    WHERE w.messages > 0
), sample AS MATERIALIZED (
    SELECT w.* FROM previous CROSS JOIN LATERAL (
        SELECT min(o.seq) AS first_seq, max(o.seq) AS last_seq, count(*) AS messages, sum(octet_length(o.payload)) AS bytes
        FROM (SELECT seq, payload FROM outbox WHERE xid >= previous.ceiling LIMIT 2000) AS o) AS w
), fresh AS MATERIALIZED (
    SELECT * FROM sample WHERE messages < 2000
    UNION ALL
    -- A backlog: the rest is counted without reading each message, and is taken to weigh what these do.
    SELECT w.first_seq, w.last_seq, w.messages, (sample.bytes::numeric * w.messages / sample.messages)::bigint
    FROM sample CROSS JOIN previous CROSS JOIN LATERAL (
        SELECT min(o.seq) AS first_seq, max(o.seq) AS last_seq, count(*) AS messages
        FROM outbox AS o WHERE o.xid >= previous.ceiling) AS w
    WHERE sample.messages = 2000
), made AS (
    INSERT INTO outbox_ticks (n, floor, ceiling, running, late, first_seq, last_seq, end_seq, messages, bytes)
    SELECT p.n + 1, p.ceiling, pg_snapshot_xmax(s.now), ARRAY(SELECT pg_snapshot_xip(s.now)),
           ARRAY(SELECT xid FROM late), f.first_seq, f.last_seq, greatest(f.last_seq, l.end_seq),
           f.messages + l.messages, coalesce(f.bytes, 0) + l.bytes
    FROM previous AS p CROSS JOIN fresh AS f CROSS JOIN (SELECT pg_current_snapshot() AS now) AS s
    CROSS JOIN (
        SELECT max(end_seq) AS end_seq, coalesce(sum(messages), 0)::bigint AS messages, coalesce(sum(bytes), 0)::bigint AS bytes
        FROM late) AS l
    -- Of several workers at once only one goes on; the others do not wait for it.
    WHERE CASE WHEN f.messages + l.messages > 0
               THEN pg_try_advisory_xact_lock(7364, 'outbox_ticks'::regclass::oid::integer) END
    ON CONFLICT (n) DO NOTHING
    RETURNING *
), noted AS (
    INSERT INTO outbox_late (xid, tick) SELECT late.xid, made.n FROM late CROSS JOIN made
)
SELECT n, floor, ceiling, running, late, first_seq, last_seq, end_seq, messages, bytes FROM made
UNION ALL
SELECT n, floor, ceiling, running, late, first_seq, last_seq, end_seq, messages, bytes FROM previous
WHERE NOT EXISTS (SELECT 1 FROM made);
