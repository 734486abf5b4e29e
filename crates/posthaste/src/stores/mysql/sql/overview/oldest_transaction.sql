-- How long the oldest transaction has been open, in microseconds. Needs the privilege PROCESS; TiDB would show those of the same user
-- without it, so there is no answer then.
/*[not TiDB]*/SELECT COALESCE(MAX(TIMESTAMPDIFF(MICROSECOND, trx_started, NOW(6))), 0) AS age FROM information_schema.INNODB_TRX/*[end]*/
/*[TiDB]*/SELECT COALESCE(MAX(TIMESTAMPDIFF(MICROSECOND, START_TIME, NOW(6))), 0) AS age FROM information_schema.CLUSTER_TIDB_TRX
HAVING EXISTS (SELECT 1 FROM information_schema.USER_PRIVILEGES AS p
               WHERE p.PRIVILEGE_TYPE = 'PROCESS' AND p.GRANTEE = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), ''''))/*[end]*/
