-- How much each destination has set aside, by state.
SELECT destination::text AS destination, state::text AS what, count(*) AS messages FROM outbox_parked GROUP BY destination, state;
