-- Everything that is parked, from `outbox_parked_state` alone.
SELECT destination, seq, state FROM outbox_parked;
