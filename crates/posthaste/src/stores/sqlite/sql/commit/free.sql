-- A key has caught up with its lane; by primary key.
DELETE FROM outbox_held_keys WHERE destination = :destination AND key = :key AND tenant = :tenant;
