-- How much each destination has set aside, by state.
SELECT destination::text, state::text, count(*) FROM outbox_parked GROUP BY destination, state;
