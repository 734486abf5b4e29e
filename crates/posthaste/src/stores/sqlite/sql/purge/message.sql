-- Removes a message, unless someone has asked for it since it was found; by primary key.
DELETE FROM outbox
WHERE seq = :seq AND NOT EXISTS (SELECT 1 FROM outbox_status AS s WHERE s.seq = :seq AND s.status NOT IN ('delivered', 'discarded'));
