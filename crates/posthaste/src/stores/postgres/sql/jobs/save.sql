-- How far a job is now, by primary key; in the transaction of the piece that got it there.
UPDATE outbox_jobs SET is_open = $2, document = $3 WHERE number = $1;
