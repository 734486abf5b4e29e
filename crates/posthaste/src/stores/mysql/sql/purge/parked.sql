-- What was discarded of them, and what destinations that are no longer named had parked; by `outbox_parked_seq`.
DELETE FROM outbox_parked WHERE seq IN ({seqs})
