-- Workers that ended long ago without a word.
DELETE FROM outbox_workers WHERE expires_at < :before;
