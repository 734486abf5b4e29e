-- The worker is alive until then; by primary key.
INSERT INTO outbox_workers (worker, expires_at) VALUES (:worker, UTC_TIMESTAMP(6) + INTERVAL :ttl MICROSECOND)
ON DUPLICATE KEY UPDATE expires_at = VALUES(expires_at)
