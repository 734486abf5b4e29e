-- Another server than before: positions jump over all that the old one may have given, so that they only ever grow, and nobody takes what
-- they remember for what is there.
UPDATE outbox_state SET newest = newest + :jump, changes = changes + :jump, sequencer_until = UTC_TIMESTAMP(6), server = {server}
WHERE one = 1
