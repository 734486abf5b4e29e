-- How many keys each destination holds.
SELECT destination::text, 'held', count(*) FROM outbox_held_keys GROUP BY destination;
