-- What tells that something is new: positions that were given, wakes of operators, and messages beyond the head. Reads one row, and
-- the end of the journal by primary key.
SELECT s.newest, s.wakes, s.changes, EXISTS (SELECT 1 FROM outbox AS o WHERE o.seq > s.head) AS is_waiting
FROM outbox_state AS s WHERE s.one = 1
