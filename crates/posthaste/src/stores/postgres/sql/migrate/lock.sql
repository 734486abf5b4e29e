-- One migration of a schema at a time; until the end of the transaction.
SELECT pg_advisory_xact_lock(7364, hashtext($1));
