-- A new job, which is open.
INSERT INTO outbox_jobs (is_open, document) VALUES (true, :document);
