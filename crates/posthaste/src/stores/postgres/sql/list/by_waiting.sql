-- Candidates behind held keys: of few keys by `outbox_key`; of many among the next 2,000 messages, by `outbox_seq_index`, of which the last
-- one is always a candidate, so that the next look goes on behind it. None that waits lies behind the ends of the ticks up to which keys are held.
WITH few AS MATERIALIZED (
    SELECT count(*) <= 200 AS keys FROM (SELECT 1 FROM outbox_held_keys LIMIT 201) AS h
), reach AS MATERIALIZED (
    SELECT max(t.end_seq) AS seq FROM outbox_ticks AS t WHERE t.n <= (SELECT max(until_tick) FROM outbox_held_keys)
), next AS MATERIALIZED (
    SELECT o.seq, o.tenant, o.key FROM few CROSS JOIN reach CROSS JOIN LATERAL (
        SELECT seq, coalesce(tenant, '') AS tenant, CASE key WHEN '' THEN aggregate_type || '/' || aggregate_id ELSE key END AS key
        FROM outbox WHERE NOT few.keys AND seq {beyond} $1 AND seq <= reach.seq ORDER BY seq {direction} LIMIT 2000) AS o
)
SELECT DISTINCT seq FROM (
    SELECT o.seq FROM few CROSS JOIN LATERAL (SELECT * FROM outbox_held_keys WHERE few.keys OFFSET 0) AS h
    JOIN outbox AS o ON o.key IS NOT NULL AND coalesce(o.tenant, '') = h.tenant
        AND CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END = h.key
    WHERE o.seq {beyond} $1
    UNION ALL
    SELECT n.seq FROM next AS n WHERE EXISTS (
        SELECT 1 FROM (SELECT name FROM outbox_destinations OFFSET 0) AS d CROSS JOIN LATERAL (
            SELECT 1 FROM outbox_held_keys AS h WHERE h.destination = d.name AND h.key = n.key AND h.tenant = n.tenant OFFSET 0) AS h)
    UNION ALL
    (SELECT n.seq FROM next AS n ORDER BY n.seq {direction} OFFSET 1999 LIMIT 1)) AS candidates
ORDER BY seq {direction} LIMIT $2;
