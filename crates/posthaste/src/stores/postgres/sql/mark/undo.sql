-- Undoes marks that were refused, with the settings that were made for them. What was stored stays.
ROLLBACK TO SAVEPOINT marks;
