-- For a connection that only waits: it sees what nobody has committed yet.
SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED
