-- Removes two marks of a consumer that have expired: for each that comes up to two go, so the table does not grow. Never waits for another
-- transaction that does the same. By `inbox_seen_at`.
DELETE FROM {schema}.inbox WHERE (consumer, message) IN (
    SELECT consumer, message FROM {schema}.inbox WHERE consumer = $1 AND seen_at < now() - $2 * interval '1 millisecond'
    ORDER BY seen_at LIMIT 2 FOR UPDATE SKIP LOCKED
)
