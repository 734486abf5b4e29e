-- The patterns of a destination; a pattern that is given twice is stored once. By primary key.
INSERT INTO outbox_routes (destination, pattern) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING;
