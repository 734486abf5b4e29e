-- Removes two marks of a consumer that have expired: for each that comes up to two go, so the table does not grow. By `inbox_seen_at`.
DELETE FROM {schema}.inbox WHERE (consumer, message) IN (
    SELECT consumer, message FROM {schema}.inbox WHERE consumer = ?1 AND seen_at < ?2 ORDER BY seen_at LIMIT 2
);
