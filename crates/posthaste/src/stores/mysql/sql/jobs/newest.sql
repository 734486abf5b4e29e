-- Where the journal ends now, and the time.
SELECT newest, UTC_TIMESTAMP(6) AS now FROM outbox_state WHERE one = 1
