-- What the receiver of a message said when all was well, as part of its timeline.
ALTER TABLE outbox_attempts ADD COLUMN reply TEXT;
