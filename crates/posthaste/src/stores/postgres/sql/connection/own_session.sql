-- For a session that is ours alone. From PostgreSQL 14 on a server notices while it works that nobody waits for the answer any longer.
SELECT set_config(name, '2s', false) FROM pg_catalog.pg_settings WHERE name = 'client_connection_check_interval';
