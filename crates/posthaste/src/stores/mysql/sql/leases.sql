-- Who holds which partition, or held it last, and for how many more microseconds; nothing if the lease has ended. All of a small table.
SELECT `partition`, worker, epoch,
       IF(worker IS NOT NULL AND expires_at > UTC_TIMESTAMP(6), TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at), NULL) AS expires_in
FROM outbox_leases ORDER BY `partition`
