-- What tells that something is new, as in `watch.sql`; then waits on the server until somebody writes a message beyond :number, for no more than
-- :looks looks, three milliseconds apart. `number` is the newest one that anybody wrote. Reads one row, and in each look the end of the journal by
-- primary key; to be run where uncommitted rows are seen, which also keeps no snapshot. In each row the sleep comes before the look, and
-- `n` in it makes sure that it is not taken from a cache.
WITH RECURSIVE look AS (
    SELECT 0 AS n, 0 AS slept, IFNULL((SELECT o.seq FROM outbox AS o ORDER BY o.seq DESC LIMIT 1), 0) AS number
    UNION ALL
    SELECT n + 1, SLEEP(0.003), IFNULL((SELECT o.seq + 0 * look.n FROM outbox AS o ORDER BY o.seq DESC LIMIT 1), 0)
    FROM look WHERE number <= :number AND n < :looks
)
SELECT s.newest, s.head, s.wakes, s.changes, (SELECT MAX(number) FROM look) AS number FROM outbox_state AS s WHERE s.one = 1
