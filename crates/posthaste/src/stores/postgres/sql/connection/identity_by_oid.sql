-- Which database this is, where the server does not tell its identity or its timeline: some managed ones, and strict ones.
SELECT 'database ' || oid AS system, CASE WHEN pg_is_in_recovery() THEN 'replica' ELSE 'unknown' END AS timeline
FROM pg_catalog.pg_database WHERE datname = current_database();
