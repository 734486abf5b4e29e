-- Marks that are older than every message, a bounded number at a time.
DELETE FROM outbox_marks WHERE low < (SELECT COALESCE(MIN(r.position), 0) FROM outbox_ranges AS r) LIMIT {limit}
