-- What the statements of the relay count on, whatever the server's defaults are.
SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', SESSION time_zone = '+00:00', SESSION innodb_lock_wait_timeout = 10
