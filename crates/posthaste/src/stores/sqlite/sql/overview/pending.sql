-- Everything beyond the slowest cursor, by primary key, with what tells whose it is.
SELECT seq, partition, event_type, destination, recorded_at FROM outbox WHERE seq > :slowest;
