-- One migration at a time, on one server; released by `migrate/unlock.sql`, or when the connection ends.
SELECT GET_LOCK(CONCAT('posthaste/', LEFT(SHA2(DATABASE(), 256), 40)), 60) AS is_locked
