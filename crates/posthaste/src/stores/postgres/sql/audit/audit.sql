-- The latest entries before a number, newest first. By primary key.
SELECT number, at, who, action, target, affected FROM outbox_audit WHERE number < $1 ORDER BY number DESC LIMIT $2;
