-- A key gets a cursor of its own, or moves it; by primary key.
INSERT INTO outbox_held_keys (destination, scope, `key`, tenant, `partition`, `after`, `until`)
VALUES (:destination, UNHEX(SHA2(CONCAT(:tenant, X'1F', :key), 256)), :key, :tenant, :partition, :after, :until)
ON DUPLICATE KEY UPDATE `after` = VALUES(`after`), `until` = VALUES(`until`)
