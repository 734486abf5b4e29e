-- Marks a message as seen: one row the first time, none after that. By the primary key of `inbox`. No mark is older than the newest before
-- it, which is found by `inbox_seen_at`: those of a process whose clock is far behind would have expired for all others.
INSERT INTO {schema}.inbox (consumer, message, seen_at)
VALUES (?1, ?2, max(?3, coalesce((SELECT max(seen_at) FROM {schema}.inbox WHERE consumer = ?1), ?3)))
ON CONFLICT DO NOTHING;
