-- The held keys of a lane, by `outbox_held_keys_lane`, and whether a parked delivery stands at the head of each, by
-- `outbox_parked_head`.
SELECT h.tenant AS tenant, h.key AS key, h.after AS after, h.until AS until, EXISTS (
    SELECT 1 FROM outbox_parked AS p
    WHERE p.holds = 1 AND p.destination = h.destination AND p.key = h.key AND p.tenant = h.tenant) AS has_head
FROM outbox_held_keys AS h
WHERE h.partition = :partition AND h.destination = :destination
ORDER BY h.tenant, h.key;
