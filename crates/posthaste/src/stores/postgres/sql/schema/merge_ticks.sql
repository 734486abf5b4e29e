-- Merges ticks that everybody has passed and that are older than `age`, up to ten thousand at a time: each run of them into the
-- next one that someone stands at. Which messages lie before a position that is kept stays the same. Returns how many went.
CREATE FUNCTION {schema}.outbox_merge_ticks(age interval) RETURNS bigint LANGUAGE sql
SET search_path = {schema}, pg_temp SET enable_hashjoin = on SET enable_seqscan = on AS $$
    WITH old AS MATERIALIZED (
        SELECT t.* FROM outbox_ticks AS t
        WHERE t.n > 0 AND t.made_at < now() - age AND t.n < (
            SELECT min(c.low_tick) FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination AND d.active)
        ORDER BY t.n LIMIT 10000
    ), stood_at AS MATERIALIZED (
        SELECT max(n) AS n FROM old
        UNION SELECT low_tick FROM outbox_cursors
        UNION SELECT after_tick FROM outbox_held_keys
        UNION SELECT until_tick FROM outbox_held_keys
        UNION SELECT tick FROM outbox_parked
    ), runs AS MATERIALIZED (
        SELECT min(s.n) OVER (ORDER BY old.n DESC) AS into_tick, old.* FROM old LEFT JOIN stood_at AS s ON s.n = old.n
    ), firsts AS MATERIALIZED (
        SELECT DISTINCT ON (into_tick) into_tick, floor FROM runs ORDER BY into_tick, n
    ), merged AS MATERIALIZED (
        SELECT into_tick, min(first_seq) AS first_seq, max(last_seq) AS last_seq, max(end_seq) AS end_seq,
               sum(messages)::bigint AS messages, sum(bytes)::bigint AS bytes
        FROM runs GROUP BY into_tick HAVING count(*) > 1
    ), updated AS (
        UPDATE outbox_ticks AS t
        SET floor = f.floor, first_seq = m.first_seq, last_seq = m.last_seq, end_seq = m.end_seq, messages = m.messages,
            bytes = m.bytes,
            late = ARRAY(SELECT x FROM runs AS r, unnest(r.late) AS x WHERE r.into_tick = m.into_tick)
        FROM merged AS m JOIN firsts AS f ON f.into_tick = m.into_tick WHERE t.n = m.into_tick
    ), moved AS (
        UPDATE outbox_late AS l SET tick = r.into_tick FROM runs AS r WHERE l.tick = r.n AND r.n <> r.into_tick
    ), gone AS (
        DELETE FROM outbox_ticks AS t USING runs AS r WHERE t.n = r.n AND r.n <> r.into_tick RETURNING 1
    )
    SELECT count(*) FROM gone
$$;
