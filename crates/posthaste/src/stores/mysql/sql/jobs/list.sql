-- Jobs, newest first, by primary key.
SELECT number, document FROM outbox_jobs WHERE number < :before ORDER BY number DESC LIMIT :limit
