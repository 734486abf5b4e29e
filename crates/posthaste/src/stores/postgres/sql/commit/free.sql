-- Keys have caught up with their lane; by primary key.
DELETE FROM outbox_held_keys AS h USING unnest($1::text[], $2::text[], $3::text[]) AS freed (destination, key, tenant)
WHERE h.destination = freed.destination AND h.key = freed.key AND h.tenant = freed.tenant;
