-- Tenants that an operator has paused at a destination, as JSON: tenant, since when, by whom. NULL is nobody.
ALTER TABLE {schema}.outbox_destinations ADD COLUMN paused_tenants text;
