-- Locks keys until the end of the transaction, in the order given. Two keys with the same hash share a lock, which costs a wait. Touches
-- no table.
SELECT pg_advisory_xact_lock(hashtextextended(key, 7364)) FROM unnest($1::text[]) WITH ORDINALITY AS k (key, n) ORDER BY n;
