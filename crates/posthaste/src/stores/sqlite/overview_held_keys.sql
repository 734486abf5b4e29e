-- How many keys each destination holds.
SELECT destination, count(*) FROM outbox_held_keys GROUP BY destination;
