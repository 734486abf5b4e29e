-- One attempt, once however often it is sent; by primary key.
REPLACE INTO outbox_attempts (position, destination, number, at, took_ms, worker, error, reply)
VALUES (:position, :destination, :number, UTC_TIMESTAMP(6), :took_ms, :worker, :error, :reply)
