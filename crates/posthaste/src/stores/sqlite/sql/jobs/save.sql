-- How far a job is now, by primary key; in the transaction of the piece that got it there.
UPDATE outbox_jobs SET is_open = :is_open, document = :document WHERE number = :number;
