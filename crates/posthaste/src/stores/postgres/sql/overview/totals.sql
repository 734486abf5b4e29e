-- Messages kept, of which the server itself keeps count, about, where there are more than a million; the newest position, partitions that
-- nobody holds, how long the oldest transaction that writes has been open, how many ticks are kept, and how long the oldest committed
-- message has waited for one, by `outbox_xid`; and how often the database has failed over.
SELECT (SELECT CASE WHEN live.messages > 1000000 THEN live.messages ELSE (SELECT count(*) FROM outbox) END
        FROM (SELECT coalesce(sum(pg_catalog.pg_stat_get_live_tuples(i.inhrelid)), 0)::bigint AS messages
              FROM pg_catalog.pg_inherits AS i WHERE i.inhparent = 'outbox'::regclass) AS live) AS messages, t.n, t.end_seq,
       (SELECT count(*) FROM outbox_leases WHERE worker IS NULL OR expires_at <= now()) AS unheld_partitions,
       (SELECT coalesce(max(extract(epoch FROM now() - xact_start)), 0)::float8
        FROM pg_catalog.pg_stat_activity WHERE datname = current_database() AND backend_xid IS NOT NULL)
       AS oldest_transaction_seconds,
       (SELECT count(*) FROM outbox_ticks)::float8 AS ticks,
       (SELECT coalesce(max(extract(epoch FROM now() - o.written_at)), 0)::float8 FROM outbox AS o WHERE o.xid >= t.ceiling)
       AS tick_delay_seconds,
       (SELECT count(*) FROM outbox_audit WHERE action = 'failover')::float8 AS failovers
FROM outbox_ticks AS t ORDER BY t.n DESC LIMIT 1;
