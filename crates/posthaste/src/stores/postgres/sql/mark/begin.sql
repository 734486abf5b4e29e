-- Before the marks in a table of an application: what they do can be undone by itself, names mean what they mean for whoever else uses
-- the database, and nobody waits long for a row that somebody keeps locked.
SAVEPOINT marks;
SET LOCAL search_path TO DEFAULT;
SET LOCAL lock_timeout = '1s';
