-- What one call took; by primary key.
SELECT `partition`, epoch, expired_before FROM outbox_leases
WHERE `partition` IN ({partitions}) AND claim = :claim AND worker = :worker ORDER BY `partition`
