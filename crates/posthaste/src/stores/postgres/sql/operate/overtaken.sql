-- Of how many of these a destination has a newer message of the same key already, by `outbox_key`. A delivery that holds its key has
-- been overtaken by nothing, however many wait behind it.
SELECT count(*) AS overtaken
FROM unnest($1::bigint[], $2::text[]) AS c (seq, destination)
WHERE NOT EXISTS (
    SELECT 1 FROM outbox_parked AS p
    WHERE p.seq = c.seq AND p.destination = c.destination AND p.holds AND p.state NOT IN ('discarding', 'discarded') OFFSET 0)
  AND EXISTS (
    SELECT 1
    FROM outbox AS o
    JOIN outbox AS newer ON newer.key IS NOT NULL AND newer.tenant IS NOT DISTINCT FROM o.tenant AND newer.seq > o.seq
        AND CASE newer.key WHEN '' THEN newer.aggregate_type || '/' || newer.aggregate_id ELSE newer.key END
            = CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END
    WHERE o.seq = c.seq AND EXISTS (
        SELECT 1 FROM outbox_status AS s
        WHERE s.seq = newer.seq AND s.destination = c.destination AND s.status = 'delivered' OFFSET 0) OFFSET 0);
