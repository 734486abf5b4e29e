-- Every source, or the one of a name, as people see it. One row for each source; by primary key.
SELECT name, paused, checkpoint, worker, worker IS NOT NULL AND expires_at > now() AS held, epoch, events, stored, duplicates, ignored,
       refused, last_event, (extract(epoch FROM moved_at) * 1000)::bigint AS moved_at, report
FROM outbox_sources WHERE $1::text IS NULL OR name = $1 ORDER BY name;
