-- How many deliveries each destination has parked, by state, from `outbox_parked_state`.
SELECT destination, state AS what, COUNT(*) AS messages FROM outbox_parked GROUP BY destination, state
