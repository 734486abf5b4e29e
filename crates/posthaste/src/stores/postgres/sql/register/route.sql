-- The patterns of a destination; saying one twice is once.
INSERT INTO outbox_routes (destination, pattern) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING;
