-- Nothing has a position yet.
INSERT IGNORE INTO outbox_state (one, newest, head, changes, wakes, sequencer, sequencer_until, server)
VALUES (1, 0, 0, 0, 0, '', UTC_TIMESTAMP(6), {server})
