-- Moves a key's newest position forwards: one row if it moved, none if the position is not beyond it. By the primary key.
INSERT INTO {schema}.inbox_order (consumer, tenant, key, tick, seq) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (consumer, key, tenant) DO UPDATE SET tick = excluded.tick, seq = excluded.seq
WHERE (excluded.tick, excluded.seq) > (inbox_order.tick, inbox_order.seq)
