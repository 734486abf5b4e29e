-- A key gets a cursor of its own, or moves it; by primary key.
INSERT INTO outbox_held_keys (destination, key, tenant, partition, after, until)
VALUES (:destination, :key, :tenant, :partition, :after, :until)
ON CONFLICT (destination, key, tenant) DO UPDATE SET after = excluded.after, until = excluded.until;
