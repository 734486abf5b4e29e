-- The version and the partitions of the journal, which database it belongs to, and whether it knows transactions
-- that this server has not had yet. One row.
SELECT s.version, s.partitions,
       s.system, s.timeline,
       coalesce((SELECT t.ceiling > pg_snapshot_xmax(pg_current_snapshot()) FROM outbox_ticks AS t ORDER BY t.n DESC LIMIT 1), false)
       AS is_ahead
FROM outbox_schema AS s;
