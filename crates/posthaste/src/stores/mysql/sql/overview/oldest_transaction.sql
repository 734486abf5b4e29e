-- How long the oldest transaction has been open, in microseconds. Needs the privilege PROCESS.
SELECT COALESCE(MAX(TIMESTAMPDIFF(MICROSECOND, trx_started, NOW(6))), 0) AS age FROM information_schema.INNODB_TRX
