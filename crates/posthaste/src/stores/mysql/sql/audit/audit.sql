-- The latest entries before a number. By primary key.
SELECT number, at, who, action, target, affected FROM outbox_audit
WHERE number < :before ORDER BY number DESC LIMIT :limit
