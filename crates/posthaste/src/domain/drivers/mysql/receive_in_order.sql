-- Moves a key's newest position forwards: one row if it moved, none if the position is not beyond it. By the primary key of `inbox_order`.
UPDATE {schema}.inbox_order SET tick = ?, seq = ?
WHERE consumer = ? AND scope = UNHEX(SHA2(CONCAT(?, X'1F', ?), 256)) AND (tick < ? OR tick = ? AND seq < ?)
