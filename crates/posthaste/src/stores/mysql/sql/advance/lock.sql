-- Where the sequencer before has stopped. Whoever has locked this row is the only sequencer until its transaction ends.
SELECT newest, head, changes, server = {server} AS is_same_server FROM outbox_state WHERE one = 1 FOR UPDATE
