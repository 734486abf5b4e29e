-- Appends; numbers grow and are never used again.
INSERT INTO outbox_audit (at, who, action, target, affected) VALUES (UTC_TIMESTAMP(6), :who, :action, :target, :affected)
