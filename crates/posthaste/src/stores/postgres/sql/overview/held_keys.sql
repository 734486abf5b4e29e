-- How many keys each destination holds. Reads all of `outbox_held_keys`, which holds exceptions only.
SELECT destination::text AS destination, 'held' AS what, count(*) AS messages FROM outbox_held_keys GROUP BY destination;
