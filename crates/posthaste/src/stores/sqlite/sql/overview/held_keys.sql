-- How many keys each destination holds.
SELECT destination, count(*) AS keys FROM outbox_held_keys GROUP BY destination;
