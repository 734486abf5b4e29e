-- The recorded attempts of a delivery, by primary key; by time, because a replay counts from one again.
SELECT number, at, took_ms, error, reply, worker FROM outbox_attempts
WHERE position = :position AND destination = :destination
ORDER BY at, number
