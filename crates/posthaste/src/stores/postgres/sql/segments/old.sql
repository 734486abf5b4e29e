-- Segments whose day ended at least $1 microseconds ago. By the catalogue.
SELECT outbox_old_segments($1::bigint * interval '1 microsecond') AS segment;
