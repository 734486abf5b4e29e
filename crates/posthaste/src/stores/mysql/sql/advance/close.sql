-- Gaps in which something was found; by primary key.
DELETE FROM outbox_gaps WHERE first_seq IN ({gaps})
