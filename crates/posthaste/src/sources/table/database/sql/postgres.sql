-- The columns of the tables with a name, whatever its case: those that are written exactly so first. By the indexes of the catalogue on
-- relation and attribute, after a look at all relations. Types that somebody has made are named with their schema: whoever marks rows may
-- look for names elsewhere.
SELECT n.nspname::text, c.relname::text, a.attname::text, 
    CASE WHEN t.typnamespace = 'pg_catalog'::regnamespace THEN format_type(a.atttypid, a.atttypmod)
         ELSE format('%I.%I', tn.nspname, t.typname) END
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid
JOIN pg_namespace tn ON tn.oid = t.typnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'f')
  AND lower(c.relname) = lower($2)
  AND CASE WHEN $1 = '' THEN n.nspname = ANY (current_schemas(false)) ELSE lower(n.nspname) = lower($1) END
ORDER BY c.relname <> $2, n.nspname <> $1, array_position(current_schemas(false), n.nspname), n.nspname, c.relname, a.attnum
