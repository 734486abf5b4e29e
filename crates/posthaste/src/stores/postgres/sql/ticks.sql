-- Ticks from the one that a position is in, in order; by primary key. Where ticks were merged, that is the next one there is.
SELECT n, floor, ceiling, running, late, first_seq, last_seq, end_seq, messages, bytes
FROM outbox_ticks WHERE n >= $1 ORDER BY n LIMIT $2;
