-- Removes two marks of a consumer that have expired: for each that comes up to two go, so the table does not grow. By `inbox_seen_at`.
DELETE FROM {schema}.inbox WHERE consumer = ? AND seen_at < UTC_TIMESTAMP(6) - INTERVAL ? MICROSECOND ORDER BY seen_at LIMIT 2
