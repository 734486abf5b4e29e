-- The worker is alive, and this is what it says; by primary key.
INSERT INTO outbox_workers (worker, expires_at, report) VALUES (:worker, UTC_TIMESTAMP(6) + INTERVAL :ttl MICROSECOND, :report)
ON DUPLICATE KEY UPDATE expires_at = VALUES(expires_at), report = VALUES(report)
