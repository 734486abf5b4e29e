-- The columns of the tables with a name, whatever its case: those that are written exactly so first.
SELECT table_schema, table_name, column_name, column_type
FROM information_schema.columns
WHERE table_schema = IF(? = '', database(), ?) AND lower(table_name) = lower(?)
ORDER BY table_name <> ?, table_schema, table_name, ordinal_position
