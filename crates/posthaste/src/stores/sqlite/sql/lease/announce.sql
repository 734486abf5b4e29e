-- The worker is alive until then; by primary key.
INSERT INTO outbox_workers (worker, expires_at) VALUES (:worker, :expires_at)
ON CONFLICT (worker) DO UPDATE SET expires_at = excluded.expires_at;
