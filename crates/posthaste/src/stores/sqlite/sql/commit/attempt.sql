-- One attempt, once however often it is sent; by primary key.
INSERT OR REPLACE INTO outbox_attempts (seq, destination, number, at, took_ms, worker, error, reply)
VALUES (:seq, :destination, :number, :now, :took_ms, :worker, :error, :reply);
