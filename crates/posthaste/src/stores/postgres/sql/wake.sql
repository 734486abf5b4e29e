-- Tells all relays that an operator has changed something.
UPDATE outbox_wakes SET n = n + 1;
