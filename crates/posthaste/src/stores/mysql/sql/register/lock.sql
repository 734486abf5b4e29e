-- One registration at a time; and the newest position, at which a destination may start.
SELECT newest FROM outbox_state WHERE one = 1 FOR UPDATE
