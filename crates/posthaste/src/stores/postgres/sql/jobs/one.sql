-- One job, locked until the end of the transaction, by primary key.
SELECT number, document, now() AS now FROM outbox_jobs WHERE number = $1 FOR UPDATE;
