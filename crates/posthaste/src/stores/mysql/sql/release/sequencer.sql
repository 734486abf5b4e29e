-- Whoever places messages next need not wait until this sequencer's lease ends. Another one's stays. One row.
UPDATE outbox_state SET sequencer_until = UTC_TIMESTAMP(6) WHERE one = 1 AND sequencer = :sequencer
