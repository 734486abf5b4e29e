-- The source is known from now on; by primary key.
INSERT INTO outbox_sources (name) VALUES ($1) ON CONFLICT DO NOTHING;
