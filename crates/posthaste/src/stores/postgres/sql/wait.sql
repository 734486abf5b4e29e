-- As `watch.sql`; but if there is no news, and no tick newer than $3, waits on the server until somebody takes the number of a message: for no
-- more than $2 looks, three milliseconds apart. Returns the newest number taken, too, NULL before the first; $1 is the one that is known. A number
-- is taken before the commit: what it announces may need a moment, and may never come. The sequence `outbox_seq` belongs to no snapshot, so
-- one statement sees it move. In each row the sleep comes before the look.
WITH RECURSIVE news AS MATERIALIZED (
    SELECT t.n AS tick, w.n AS operations,
           EXISTS (SELECT 1 FROM outbox AS o WHERE o.xid >= t.ceiling)
           OR EXISTS (
               SELECT 1 FROM unnest(t.running) AS r (xid)
               CROSS JOIN LATERAL (SELECT 1 FROM outbox AS o WHERE o.xid = r.xid LIMIT 1) AS written) AS is_news
    FROM (SELECT n, ceiling, running FROM outbox_ticks ORDER BY n DESC LIMIT 1) AS t CROSS JOIN outbox_wakes AS w
), look AS (
    SELECT CASE WHEN is_news OR tick > $3 THEN $2 ELSE 0 END AS n, '' AS slept,
           pg_sequence_last_value('outbox_seq'::regclass) AS number
    FROM news
    UNION ALL
    SELECT n + 1, pg_sleep(0.003)::text, pg_sequence_last_value('outbox_seq'::regclass)
    FROM look WHERE number IS NOT DISTINCT FROM $1 AND n < $2
)
SELECT tick, operations, is_news, (SELECT max(number) FROM look) AS number FROM news;
