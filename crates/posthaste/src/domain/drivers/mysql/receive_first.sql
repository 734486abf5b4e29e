-- Keeps a key's first position: one row if it had none. By the primary key of `inbox_order`.
INSERT IGNORE INTO {schema}.inbox_order (consumer, scope, tick, seq) VALUES (?, UNHEX(SHA2(CONCAT(?, X'1F', ?), 256)), ?, ?)
