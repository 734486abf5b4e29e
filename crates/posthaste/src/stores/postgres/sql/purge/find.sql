-- How many messages, $3 at most, are older than $1 microseconds and settled by every destination that takes them. Before a destination
-- is registered nobody knows who wants what, so nothing may go. With $2 only those outside of segments. By `outbox_seq_index`.
SELECT count(*) AS messages FROM (
    SELECT 1 FROM outbox AS o
    WHERE o.written_at <= clock_timestamp() - $1::bigint * interval '1 microsecond'
      AND (NOT $2 OR o.tableoid = 'outbox_rest'::regclass)
      AND EXISTS (SELECT 1 FROM outbox_destinations WHERE active)
      AND NOT EXISTS (SELECT 1 FROM outbox_status AS s WHERE s.seq = o.seq AND s.status NOT IN ('delivered', 'discarded') OFFSET 0)
    LIMIT $3) AS found;
