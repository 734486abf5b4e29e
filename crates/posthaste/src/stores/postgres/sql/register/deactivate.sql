-- A destination that is not named again holds up no purge and is not shown. Writes only the rows that change, of a small table.
UPDATE outbox_destinations SET active = false WHERE active;
