-- Some held keys of a destination, by primary key: in the order of a hash, so that they are like the others.
SELECT `key`, tenant, `after`, `until` FROM outbox_held_keys WHERE destination = :destination ORDER BY scope LIMIT {limit}
