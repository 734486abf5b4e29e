-- Marks a message as seen: one row the first time, none after that. Waits for another transaction that marks it too. By the primary key
-- of `inbox`.
INSERT IGNORE INTO {schema}.inbox (consumer, message, seen_at) VALUES (?, ?, UTC_TIMESTAMP(6))
