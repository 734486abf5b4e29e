-- How many gaps lie below a message, and from where to where; by primary key.
SELECT COUNT(*) AS gaps, MIN(first_seq) AS first_seq, MAX(last_seq) AS last_seq FROM outbox_gaps WHERE last_seq < :oldest
