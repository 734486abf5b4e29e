-- Another server than before: positions jump over all that the old one may have given, so that they only ever grow.
UPDATE outbox_state SET newest = newest + :jump, changes = changes + 1, sequencer_until = UTC_TIMESTAMP(6), server = {server}
WHERE one = 1
