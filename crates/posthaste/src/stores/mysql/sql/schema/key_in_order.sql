-- The messages of a key can be walked in the order of their numbers, from any of them on. MariaDB does so only if the index names the
-- number; for the server it is in the index anyway, so the index does not grow. On TiDB it was made so.
/*[not TiDB]*/ALTER TABLE outbox DROP KEY outbox_key, ADD KEY outbox_key (`key`(100), seq);
/*[end]*/
