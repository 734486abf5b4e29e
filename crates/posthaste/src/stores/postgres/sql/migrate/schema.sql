-- Writes down what the journal is. Runs once, in the transaction that makes its tables.
INSERT INTO outbox_schema (version, partitions, system, timeline) VALUES ($1, $2, $3, $4);
