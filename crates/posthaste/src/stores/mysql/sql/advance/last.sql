-- The newest range, by primary key.
SELECT position, first_seq, last_seq FROM outbox_ranges ORDER BY position DESC LIMIT 1
