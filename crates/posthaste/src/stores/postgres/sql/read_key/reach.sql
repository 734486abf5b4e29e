-- The first tick from $1 on that has a message beyond the sequence number $2: what lies in earlier ticks lies before that number.
SELECT n FROM outbox_ticks WHERE n >= $1 AND end_seq > $2 ORDER BY n LIMIT 1;
