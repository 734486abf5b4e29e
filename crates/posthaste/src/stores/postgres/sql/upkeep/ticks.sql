-- Merges ticks that every lane passed more than ten minutes ago, a bounded number at a time.
SELECT outbox_merge_ticks(interval '10 minutes');
