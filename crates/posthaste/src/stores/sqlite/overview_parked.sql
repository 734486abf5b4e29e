-- Parked deliveries by state, counted on `outbox_parked_state`.
SELECT destination, state, count(*) FROM outbox_parked GROUP BY state, destination;
