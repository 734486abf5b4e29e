-- What the receiver of a message said when all was well, as part of its timeline.
ALTER TABLE {schema}.outbox_attempts ADD COLUMN reply text;
