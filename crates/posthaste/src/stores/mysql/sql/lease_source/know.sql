-- The source is known from now on; by primary key.
INSERT IGNORE INTO outbox_sources (name) VALUES (:source)
