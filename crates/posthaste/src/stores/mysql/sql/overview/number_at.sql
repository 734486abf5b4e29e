-- The number of the message at a position, or of the last one before it; by primary key.
SELECT LEAST(last_seq, first_seq + (:position - position)) AS seq FROM outbox_ranges
WHERE position <= :position ORDER BY position DESC LIMIT 1
