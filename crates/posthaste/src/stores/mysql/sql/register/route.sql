-- One pattern of a destination; saying it twice is once.
INSERT IGNORE INTO outbox_routes (destination, pattern) VALUES (:destination, :pattern)
