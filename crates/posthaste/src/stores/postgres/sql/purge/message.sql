-- Removes the oldest messages that `find.sql` counts, with every trace of them. By `outbox_seq_index`, from the oldest.
WITH old AS MATERIALIZED (
    SELECT o.seq FROM outbox AS o
    WHERE o.written_at <= clock_timestamp() - $1::bigint * interval '1 microsecond'
      AND (NOT $2 OR o.tableoid = 'outbox_rest'::regclass)
      AND EXISTS (SELECT 1 FROM outbox_destinations WHERE active)
      AND NOT EXISTS (SELECT 1 FROM outbox_status AS s WHERE s.seq = o.seq AND s.status NOT IN ('delivered', 'discarded') OFFSET 0)
    ORDER BY o.seq LIMIT $3
), removed AS (
    DELETE FROM outbox AS o USING old WHERE o.seq = old.seq RETURNING o.seq
), parked AS (
    -- What was discarded of it, and what destinations that are no longer named had parked.
    DELETE FROM outbox_parked AS p USING old WHERE p.seq = old.seq
), attempts AS (
    DELETE FROM outbox_attempts AS a USING old WHERE a.seq = old.seq
), origins AS (
    DELETE FROM outbox_origins AS s USING old WHERE s.seq = old.seq
)
SELECT count(*) AS messages FROM removed;
