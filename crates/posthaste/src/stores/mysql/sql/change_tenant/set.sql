-- Says who is paused; by primary key. In the transaction that read it.
UPDATE outbox_destinations SET paused_tenants = :paused_tenants WHERE name = :destination
