-- Forgets that a consumer has seen a message. By the primary key of `inbox`.
DELETE FROM {schema}.inbox WHERE consumer = ? AND message = ?
