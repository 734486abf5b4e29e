-- The newest position that was ever given. Grows with every commit, and a purge does not take it back.
-- Reads the one row that SQLite keeps for AUTOINCREMENT.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'outbox'), 0) AS newest;
