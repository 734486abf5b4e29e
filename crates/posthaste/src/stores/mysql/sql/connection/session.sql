-- What the statements of the relay count on, whatever the server's defaults are. The server ends a connection that says nothing for ten
-- seconds: a relay that is frozen, or cut off, in the middle of a transaction keeps nobody waiting for its locks.
SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', SESSION time_zone = '+00:00', SESSION innodb_lock_wait_timeout = 10,
    SESSION wait_timeout = 10
