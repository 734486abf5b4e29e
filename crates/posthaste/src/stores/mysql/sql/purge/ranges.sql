-- Ranges of blocks in which no message is left, by `outbox_ranges_block`.
DELETE FROM outbox_ranges WHERE block IN ({blocks})
