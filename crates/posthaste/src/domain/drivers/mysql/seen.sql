-- Whether a message is marked as seen. By the primary key of `inbox`.
SELECT COUNT(*) FROM {schema}.inbox WHERE consumer = ? AND message = ?
