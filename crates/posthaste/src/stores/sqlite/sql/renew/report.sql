-- The worker is alive, and this is what it says; by primary key.
INSERT INTO outbox_workers (worker, expires_at, report) VALUES (:worker, :expires_at, :report)
ON CONFLICT (worker) DO UPDATE SET expires_at = excluded.expires_at, report = excluded.report;
