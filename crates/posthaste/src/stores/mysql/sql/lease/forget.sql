-- Workers that ended long ago without a word.
DELETE FROM outbox_workers WHERE expires_at < UTC_TIMESTAMP(6) - INTERVAL :shown MICROSECOND
