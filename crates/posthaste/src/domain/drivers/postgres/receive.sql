-- Marks a message as seen: one row the first time, none after that. Waits for another transaction that marks it too. By the
-- primary key of `inbox`.
INSERT INTO {schema}.inbox (consumer, message) VALUES ($1, $2::text::uuid) ON CONFLICT DO NOTHING
