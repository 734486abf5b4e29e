-- Appends an entry; numbers grow and are never used again.
INSERT INTO outbox_audit (who, action, target, affected) VALUES ($1, $2, $3, $4);
