-- Says what the journal is. Runs once, in the transaction that makes its tables.
INSERT INTO outbox_schema (version, partitions) VALUES (?1, ?2);
