-- The recorded attempts of a delivery, by primary key; by time, because a replay counts from one again.
SELECT number, at, took_ms, error, reply, worker FROM outbox_attempts WHERE seq = $1 AND destination = $2 ORDER BY at, number;
