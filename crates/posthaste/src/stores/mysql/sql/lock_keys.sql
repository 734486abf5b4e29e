-- Locks keys until the end of the transaction, by primary key and in its order. Two keys with the same hash share a lock, which costs
-- a wait.
SELECT slot FROM outbox_key_locks WHERE slot IN ({slots}) ORDER BY slot FOR UPDATE
