-- How many keys each destination holds, by primary key.
SELECT destination, COUNT(*) AS held_keys FROM outbox_held_keys GROUP BY destination
