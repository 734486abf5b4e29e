-- The held keys of a destination, by primary key, and whether a parked delivery stands at the head of each, by
-- `outbox_parked_head`.
SELECT h.partition, h.tenant, h.key, h.after_tick, h.after_seq, h.until_tick, h.until_seq, EXISTS (
    SELECT 1 FROM outbox_parked AS p
    WHERE p.holds AND p.destination = h.destination AND p.key = h.key AND p.tenant = h.tenant) AS has_head
FROM outbox_held_keys AS h
WHERE h.destination = $1
ORDER BY h.tenant, h.key;
