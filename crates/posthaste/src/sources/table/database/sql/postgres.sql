-- The columns of the tables with a name, whatever its case: those that are written exactly so first. By the indexes of the catalogue on
-- relation and attribute, after a look at all relations.
SELECT n.nspname::text, c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod)
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'v', 'f')
  AND lower(c.relname) = lower($2)
  AND CASE WHEN $1 = '' THEN n.nspname = ANY (current_schemas(false)) ELSE lower(n.nspname) = lower($1) END
ORDER BY c.relname <> $2, n.nspname <> $1, array_position(current_schemas(false), n.nspname), n.nspname, c.relname, a.attnum
