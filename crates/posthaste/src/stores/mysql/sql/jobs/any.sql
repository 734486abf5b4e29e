-- What is left to do, oldest first, by `outbox_jobs_open`, without a lock: most of the time there is nothing.
SELECT number, document, UTC_TIMESTAMP(6) AS now FROM outbox_jobs
WHERE is_open AND (:only IS NULL OR number = :only) ORDER BY number LIMIT 100
