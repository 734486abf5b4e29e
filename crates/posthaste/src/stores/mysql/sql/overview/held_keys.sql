-- How many keys each destination holds.
SELECT destination, 'held' AS what, COUNT(*) AS messages, NULL AS age FROM outbox_held_keys GROUP BY destination
