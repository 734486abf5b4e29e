-- Each statement sees what is committed when it begins, and locks only what it changes, whatever the server's default is.
SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED
