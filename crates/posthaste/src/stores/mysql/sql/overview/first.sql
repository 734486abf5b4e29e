-- The lowest number of a message beyond a position. Reads the ranges beyond it, by primary key; no range is longer than 1,024.
SELECT MIN(first_seq) AS first FROM outbox_ranges
WHERE position > :slowest - 1024 AND position + (last_seq - first_seq) > :slowest
