-- What the statements of the relay count on, whatever the server's defaults are. The server ends a connection that says nothing for ten
-- seconds: a relay that is frozen, or cut off, in the middle of a transaction keeps nobody waiting for its locks. MySQL would tell for a
-- day how many rows a table had. A subquery is asked for each row, by its index: the servers would rather read all of a table at once
-- that they take for a small one. TiDB locks no row at LOCK IN SHARE MODE, unless it is told to lock it for itself alone,
-- and compares no value that was inserted with a text of another collation.
SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', SESSION time_zone = '+00:00', SESSION innodb_lock_wait_timeout = 10,
    SESSION wait_timeout = 10/*[not TiDB]*/,
    SESSION optimizer_switch = 'semijoin=off,materialization=off' /*!80000 , SESSION information_schema_stats_expiry = 0 *//*[end]*//*[TiDB]*/,
    SESSION collation_connection = 'utf8mb4_0900_bin', SESSION tidb_txn_mode = 'pessimistic', SESSION tidb_enable_shared_lock_promotion = ON/*[end]*/
