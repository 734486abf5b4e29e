-- The newest tick, how often operators changed something, and whether something is committed that is in no tick: of transactions that
-- began after it, or were running then. A few probes of `outbox_xid`.
SELECT t.n AS tick, w.n AS operations,
       EXISTS (SELECT 1 FROM outbox AS o WHERE o.xid >= t.ceiling)
       OR EXISTS (
           SELECT 1 FROM unnest(t.running) AS r (xid)
           CROSS JOIN LATERAL (SELECT 1 FROM outbox AS o WHERE o.xid = r.xid LIMIT 1) AS written) AS is_news
FROM (SELECT n, ceiling, running FROM outbox_ticks ORDER BY n DESC LIMIT 1) AS t CROSS JOIN outbox_wakes AS w;
