-- Jobs, newest first, by primary key.
SELECT number, document FROM outbox_jobs WHERE number < $1 ORDER BY number DESC LIMIT $2;
