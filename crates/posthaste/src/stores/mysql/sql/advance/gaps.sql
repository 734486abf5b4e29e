-- All numbers without a position below the head.
SELECT first_seq, last_seq FROM outbox_gaps ORDER BY first_seq
