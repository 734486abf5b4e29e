-- Version and number of partitions: one row, or none of this exists.
SELECT version, partitions FROM outbox_schema
