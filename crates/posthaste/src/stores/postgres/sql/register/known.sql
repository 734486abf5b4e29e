-- Whether a destination was ever registered; by primary key.
SELECT 1 FROM outbox_destinations WHERE name = $1;
