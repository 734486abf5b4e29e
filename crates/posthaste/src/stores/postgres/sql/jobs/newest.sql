-- Where the journal ends now, and the time.
SELECT n, end_seq, now() AS now FROM outbox_ticks ORDER BY n DESC LIMIT 1;
