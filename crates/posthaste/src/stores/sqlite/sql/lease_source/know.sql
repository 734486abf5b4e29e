-- The source is known from now on; by primary key.
INSERT INTO outbox_sources (name) VALUES (:source) ON CONFLICT DO NOTHING;
