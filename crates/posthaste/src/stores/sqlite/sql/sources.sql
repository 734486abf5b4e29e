-- Every source, or the one of a name, as people see it. One row for each source; by primary key.
SELECT name, paused, checkpoint, worker, worker IS NOT NULL AND expires_at > :now AS held, epoch, events, stored, duplicates, ignored,
       refused, last_event, moved_at, report
FROM outbox_sources WHERE :source IS NULL OR name = :source ORDER BY name;
