-- The rows that keys are locked by.
INSERT IGNORE INTO outbox_key_locks (slot) VALUES {slots}
