-- Who holds which partition, or held it last, and for how many more seconds; nothing if the lease has ended. All of a small table.
SELECT partition, worker, epoch,
       CASE WHEN worker IS NOT NULL AND expires_at > :now THEN (expires_at - :now) / 1000.0 END AS expires_in
FROM outbox_leases ORDER BY partition;
