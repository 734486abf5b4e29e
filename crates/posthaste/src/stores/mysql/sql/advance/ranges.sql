-- New ranges, at the end of the table.
INSERT INTO outbox_ranges (position, first_seq, last_seq, block) VALUES {ranges}
