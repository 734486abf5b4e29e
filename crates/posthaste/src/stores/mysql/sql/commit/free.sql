-- A key has caught up with its lane; by primary key.
DELETE FROM outbox_held_keys
WHERE destination = :destination AND scope = UNHEX(SHA2(CONCAT(:tenant, X'1F', :key), 256))
