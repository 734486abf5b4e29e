-- The ranges that begin before a position, the newest first. By primary key.
SELECT position, first_seq, last_seq FROM outbox_ranges WHERE position < :beyond ORDER BY position DESC LIMIT {limit}
