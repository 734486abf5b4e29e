-- Appends; numbers grow and are never used again.
INSERT INTO outbox_audit (at, who, action, target, affected) VALUES (:now, :who, :action, :target, :affected);
