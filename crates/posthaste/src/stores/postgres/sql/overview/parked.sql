-- How many deliveries each destination has parked, by state. Reads all of `outbox_parked`, which holds exceptions only.
SELECT destination::text AS destination, state::text AS what, count(*) AS messages FROM outbox_parked GROUP BY destination, state;
