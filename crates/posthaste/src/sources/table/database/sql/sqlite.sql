-- The columns of the tables with a name, whatever its case: those that are written exactly so first.
SELECT t.name, c.name, c.type
FROM sqlite_schema t, pragma_table_info(t.name) c
WHERE t.type IN ('table', 'view') AND lower(t.name) = lower(?1)
ORDER BY t.name <> ?1, t.name, c.cid
