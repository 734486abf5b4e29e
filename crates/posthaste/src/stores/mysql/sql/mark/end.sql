-- After the marks: as every session of the relay has it (`sql/connection/session.sql`).
SET SESSION innodb_lock_wait_timeout = 10
