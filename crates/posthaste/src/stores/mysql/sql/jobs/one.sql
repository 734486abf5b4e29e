-- One job, locked until the end of the transaction, by primary key.
SELECT number, document, UTC_TIMESTAMP(6) AS now FROM outbox_jobs WHERE number = :number FOR UPDATE
