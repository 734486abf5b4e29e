-- Takes note of what was placed, and stays the sequencer for a while.
UPDATE outbox_state SET newest = :newest, head = :head, changes = changes + 1, sequencer = :sequencer,
    sequencer_until = UTC_TIMESTAMP(6) + INTERVAL :lease MICROSECOND
WHERE one = 1
