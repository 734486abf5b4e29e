-- Whether the schema is there, and whether it holds a journal. By the catalogue.
SELECT to_regnamespace(quote_ident($1)) IS NOT NULL AS has_schema, to_regclass(quote_ident($1) || '.outbox_schema') IS NOT NULL AS has_journal;
