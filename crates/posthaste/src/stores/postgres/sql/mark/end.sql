-- After the marks: from here on everything is as in other transactions of the journal.
RELEASE SAVEPOINT marks;
SET LOCAL lock_timeout TO DEFAULT;
SET LOCAL search_path = {schema}, pg_temp;
