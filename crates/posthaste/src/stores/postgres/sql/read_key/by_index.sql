-- The messages of one key in (after, until] that are not parked for $1 on their own, in the order of their sequence numbers, with
-- their ticks. Reads only them, by `outbox_key`. A position whose tick was merged into a later one is looked up in that.
SELECT {message_columns},
    coalesce(
        (SELECT l.tick FROM outbox_late AS l WHERE l.xid = o.xid),
        (SELECT t.n FROM outbox_ticks AS t WHERE t.ceiling > o.xid ORDER BY t.ceiling, t.n LIMIT 1)) AS tick
FROM (SELECT * FROM outbox_ticks WHERE n >= $5 ORDER BY n LIMIT 1) AS a
CROSS JOIN (SELECT * FROM outbox_ticks WHERE n >= $7 ORDER BY n LIMIT 1) AS u
CROSS JOIN LATERAL (
    SELECT * FROM outbox AS o
    WHERE o.key IS NOT NULL AND CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END = $3
      AND o.tenant IS NOT DISTINCT FROM $4 AND o.partition = $2
      AND NOT outbox_passed(o.xid, o.seq, a.floor, a.ceiling, a.running, a.late, $6)
      AND outbox_passed(o.xid, o.seq, u.floor, u.ceiling, u.running, u.late, $8)
      AND NOT EXISTS (SELECT 1 FROM outbox_parked AS p WHERE p.seq = o.seq AND p.destination = $1 OFFSET 0)
    ORDER BY o.seq LIMIT $9) AS o;
