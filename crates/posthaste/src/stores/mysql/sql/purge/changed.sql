-- What sequencers remember of gaps and ranges no longer holds.
UPDATE outbox_state SET changes = changes + 1 WHERE one = 1
