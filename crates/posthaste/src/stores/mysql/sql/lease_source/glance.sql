-- How a source stands, locked until the end of the transaction; by primary key.
SELECT epoch, checkpoint, paused, worker = :worker AND epoch = :held AS is_mine,
       worker IS NULL OR expires_at <= UTC_TIMESTAMP(6) AS is_free
FROM outbox_sources WHERE name = :source FOR UPDATE
