-- How many keys each destination holds.
SELECT destination::text AS destination, 'held' AS what, count(*) AS messages FROM outbox_held_keys GROUP BY destination;
