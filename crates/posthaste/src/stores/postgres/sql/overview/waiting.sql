-- How many messages wait behind held keys. Of each destination at most $1 keys are looked at, and of each key at most its part of $2
-- messages, the newest first, by `outbox_key`: `keys` says how many were, and `estimated` whether a key has more.
WITH keys AS MATERIALIZED (
    SELECT d.name AS destination, h.tenant, h.key, a.floor, a.ceiling, a.running, a.late, h.after_seq,
           u.floor AS until_floor, u.ceiling AS until_ceiling, u.running AS until_running, u.late AS until_late, h.until_seq
    FROM outbox_destinations AS d CROSS JOIN LATERAL (
        SELECT * FROM outbox_held_keys WHERE destination = d.name ORDER BY destination, key, tenant LIMIT $1) AS h
    LEFT JOIN outbox_ticks AS a ON a.n = h.after_tick LEFT JOIN outbox_ticks AS u ON u.n = h.until_tick
    WHERE d.active
), most AS MATERIALIZED (
    SELECT greatest(100, $2::bigint / greatest(1, count(*))) AS messages FROM keys
), behind AS (
    SELECT k.destination, count(*) AS messages, count(*) FILTER (WHERE
        outbox_passed(o.xid, o.seq, k.until_floor, k.until_ceiling, k.until_running, k.until_late, k.until_seq)
        AND NOT outbox_passed(o.xid, o.seq, k.floor, k.ceiling, k.running, k.late, k.after_seq)
        AND CASE WHEN o.destination IS NOT NULL THEN o.destination = k.destination
            ELSE EXISTS (SELECT 1 FROM outbox_routes AS r WHERE r.destination = k.destination AND o.event_type LIKE r.pattern) END
        AND NOT EXISTS (SELECT 1 FROM outbox_parked AS p WHERE p.seq = o.seq AND p.destination = k.destination)) AS waiting
    FROM keys AS k CROSS JOIN most CROSS JOIN LATERAL (
        SELECT xid, seq, event_type, destination FROM outbox
        WHERE key IS NOT NULL AND CASE key WHEN '' THEN aggregate_type || '/' || aggregate_id ELSE key END = k.key
          AND coalesce(tenant, '') = k.tenant
        ORDER BY seq DESC LIMIT most.messages) AS o
    GROUP BY k.destination, k.tenant, k.key
)
SELECT b.destination::text AS destination, 'waiting' AS what, sum(b.waiting)::bigint AS messages, count(*) AS keys,
       bool_or(b.messages >= most.messages AND b.waiting = b.messages) AS estimated
FROM behind AS b CROSS JOIN most GROUP BY b.destination;
