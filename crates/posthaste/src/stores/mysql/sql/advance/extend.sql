-- The newest range goes on; by primary key.
UPDATE outbox_ranges SET last_seq = :last WHERE position = :position
