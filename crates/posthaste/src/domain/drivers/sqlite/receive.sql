-- Marks a message as seen: one row the first time, none after that. By the primary key of `inbox`.
INSERT INTO {schema}.inbox (consumer, message, seen_at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING;
