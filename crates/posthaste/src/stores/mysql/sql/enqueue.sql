-- Stores messages in the caller's transaction, in the order given. Everything that is wrong with one is an error. Writes to the end of
-- the table and of `outbox_id`.
INSERT INTO outbox ({columns}) VALUES {rows}
