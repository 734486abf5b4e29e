-- The held keys of lanes, by `outbox_held_keys_lane`, and whether a parked delivery stands at the head of each, by
-- `outbox_parked_head`.
SELECT h.`partition`, h.tenant, h.`key`, h.`after`, h.`until`, EXISTS (
    SELECT 1 FROM outbox_parked AS p FORCE INDEX (outbox_parked_head)
    WHERE p.holds AND p.destination = h.destination AND p.`key` = h.`key` AND p.tenant = h.tenant) AS has_head
FROM outbox_held_keys AS h FORCE INDEX (outbox_held_keys_lane)
WHERE h.`partition` IN ({partitions}) AND h.destination = :destination
ORDER BY h.tenant, h.`key`
