-- Who holds which partition, or held it last, and for how many more seconds; nothing if the lease has ended. All of a small table.
SELECT partition, worker, epoch,
       CASE WHEN worker IS NOT NULL AND expires_at > now() THEN extract(epoch FROM expires_at - now())::float8 END AS expires_in
FROM outbox_leases ORDER BY partition;
