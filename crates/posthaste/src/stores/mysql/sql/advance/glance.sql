-- Whether there is something to place, and whether it is up to this sequencer. Reads one row, and the end of the journal by primary key.
SELECT s.newest, s.changes, s.server = {server} AS is_same_server,
       s.sequencer = :sequencer OR s.sequencer_until <= UTC_TIMESTAMP(6) AS is_ours,
       EXISTS (SELECT 1 FROM outbox AS o WHERE o.seq > s.head) AS is_waiting
FROM outbox_state AS s WHERE s.one = 1
