-- Before the marks in a table of an application: nobody waits long for a row that somebody keeps locked.
SET SESSION innodb_lock_wait_timeout = 1
