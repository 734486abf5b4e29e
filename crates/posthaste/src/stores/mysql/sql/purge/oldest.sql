-- The oldest message that is kept, by primary key.
SELECT MIN(seq) AS seq FROM outbox
