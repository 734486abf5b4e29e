-- Says what the journal is. The last step of a first migration: without it there is no journal.
INSERT INTO outbox_schema (version, partitions) VALUES (:version, :partitions)
