-- One pattern of a destination; saying it twice is once.
INSERT OR IGNORE INTO outbox_routes (destination, pattern) VALUES (:destination, :pattern);
