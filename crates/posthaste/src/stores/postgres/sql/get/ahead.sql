-- How many messages a lane comes to before this one: about, where transactions were late. Walks `outbox_seq_index` from the
-- cursor's tick.
SELECT count(*) AS messages
FROM outbox_cursors AS c
JOIN outbox_ticks AS t ON t.n = c.low_tick
JOIN outbox AS o ON o.partition = c.partition AND o.seq < $3 AND o.seq >= coalesce(t.first_seq, 0)
WHERE c.destination = $1 AND c.partition = $2
  AND NOT outbox_passed(o.xid, o.seq, t.floor, t.ceiling, t.running, t.late, c.low_seq)
  AND o.seq <> ALL (coalesce(c.done_seq, '{}'));
