-- Ticks that everybody has passed for ten minutes become few.
SELECT outbox_merge_ticks(interval '10 minutes');
