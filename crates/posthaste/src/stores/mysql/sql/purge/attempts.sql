-- Their timelines; by primary key.
DELETE FROM outbox_attempts WHERE position IN ({positions})
