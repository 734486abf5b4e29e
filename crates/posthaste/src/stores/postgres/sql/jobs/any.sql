-- What is left to do, oldest first, by `outbox_jobs_open`, without a lock: most of the time there is nothing.
SELECT number, document, now() AS now FROM outbox_jobs
WHERE is_open AND ($1::bigint IS NULL OR number = $1)
ORDER BY number LIMIT 100;
