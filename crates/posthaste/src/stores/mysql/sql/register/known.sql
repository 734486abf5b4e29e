-- Whether a destination was ever registered; by primary key.
SELECT 1 AS known FROM outbox_destinations WHERE name = :destination
