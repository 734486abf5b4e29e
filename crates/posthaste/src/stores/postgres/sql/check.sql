-- Everything about the server that does harm to a relay or costs it dearly: whether the relay must not start, and why. Reads catalogues
-- and statistics views only.
SELECT true AS refuses, 'this is a replica: the journal can only be walked on the primary' AS text WHERE pg_is_in_recovery()
UNION ALL
SELECT true, 'the sequence outbox_seq takes numbers in advance, so messages of one key could swap: ALTER SEQUENCE outbox_seq CACHE 1'
FROM pg_catalog.pg_sequences
WHERE schemaname = current_schema() AND sequencename = 'outbox_seq' AND cache_size > 1
UNION ALL
SELECT true, 'the user of the database may not ' || p.may || ' ' || p.name || ': grant it the relay role'
FROM (VALUES ('outbox', 'SELECT'), ('outbox_ticks', 'INSERT'), ('outbox_cursors', 'UPDATE'), ('outbox_leases', 'UPDATE')) AS p (name, may)
WHERE to_regclass(p.name) IS NOT NULL AND NOT has_table_privilege(to_regclass(p.name), p.may)
UNION ALL
SELECT false, 'synchronous_commit is off for ' || coalesce('the user ' || r.rolname, 'everyone')
       || ': a crash loses what they wrote last, messages and data alike'
FROM pg_catalog.pg_db_role_setting AS s LEFT JOIN pg_catalog.pg_roles AS r ON r.oid = s.setrole
WHERE 'synchronous_commit=off' = ANY (s.setconfig)
  AND s.setdatabase IN (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()))
UNION ALL
SELECT false, 'synchronous_commit is off by default: a crash loses what was written last, messages and data alike'
FROM pg_catalog.pg_settings WHERE name = 'synchronous_commit' AND reset_val = 'off'
UNION ALL
SELECT false, 'the transaction ' || gid || ' has been prepared for ' || date_trunc('second', now() - prepared)
       || ' and not ended: its messages wait for COMMIT PREPARED, and nothing can be vacuumed'
FROM pg_catalog.pg_prepared_xacts
WHERE database = current_database() AND prepared < now() - interval '5 minutes'
UNION ALL
SELECT false, 'a transaction of ' || coalesce(usename, 'someone') || ' (process ' || pid || ') has been open for '
       || date_trunc('second', now() - xact_start) || ': its messages wait, and nothing can be vacuumed'
FROM pg_catalog.pg_stat_activity
WHERE datname = current_database() AND xact_start < now() - interval '5 minutes' AND backend_xid IS NOT NULL;
