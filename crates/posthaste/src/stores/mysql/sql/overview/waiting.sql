-- Of the newest messages of a held key, how many wait at a destination, and from where to where they stand; by `outbox_key`, and for
-- each message by the index that finds one row.
SELECT {n} AS n, COUNT(*) AS messages, MIN(b.position) AS first, MAX(b.position) AS last, COUNT(b.waits) AS waiting
FROM (
    SELECT r.position + (o.seq - r.first_seq) AS position, IF(
               r.position + (o.seq - r.first_seq) > ? AND r.position + (o.seq - r.first_seq) <= ? AND p.seq IS NULL
               AND (o.destination = ? OR o.destination IS NULL AND EXISTS (
                   SELECT 1 FROM outbox_routes AS t WHERE t.destination = ? AND o.event_type LIKE t.pattern)), 1, NULL) AS waits
    FROM (
        SELECT m.seq, m.event_type, m.destination FROM outbox AS m FORCE INDEX (outbox_key)
        WHERE m.`key` = ? AND IFNULL(m.tenant, '') = ? ORDER BY m.seq DESC LIMIT {most}) AS o
    STRAIGHT_JOIN outbox_levels AS v
    STRAIGHT_JOIN outbox_ranges AS r FORCE INDEX (outbox_ranges_cell)
        ON r.cell = o.seq DIV v.size * 4 + v.level AND r.first_seq <= o.seq AND r.last_seq >= o.seq
    LEFT JOIN outbox_parked AS p FORCE INDEX (outbox_parked_seq) ON p.seq = o.seq AND p.destination = ?) AS b
