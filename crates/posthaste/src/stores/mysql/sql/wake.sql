-- Tells all relays that an operator has changed something.
UPDATE outbox_state SET wakes = wakes + 1 WHERE one = 1
