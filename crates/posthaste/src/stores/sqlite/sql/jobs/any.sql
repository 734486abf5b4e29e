-- What is left to do, oldest first, by `outbox_jobs_open`. There are few.
SELECT number, document FROM outbox_jobs WHERE is_open AND (:only IS NULL OR number = :only) ORDER BY number;
