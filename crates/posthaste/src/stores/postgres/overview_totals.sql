-- Messages kept, the newest position, and partitions that nobody holds.
SELECT (SELECT count(*) FROM outbox), t.n, t.end_seq,
       (SELECT count(*) FROM outbox_leases WHERE worker IS NULL OR expires_at <= now())
FROM outbox_ticks AS t ORDER BY t.n DESC LIMIT 1;
