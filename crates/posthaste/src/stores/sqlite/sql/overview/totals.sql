-- Messages kept, counted on the smallest index, and partitions that nobody holds.
SELECT (SELECT count(*) FROM outbox) AS messages,
       (SELECT count(*) FROM outbox_leases WHERE worker IS NULL OR expires_at <= :now) AS unheld_partitions;
