-- Gaps that are new, or what is left of one.
INSERT INTO outbox_gaps (first_seq, last_seq) VALUES {gaps}
