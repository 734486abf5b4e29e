-- Whether a destination has a newer message of the same key already, by `outbox_key`.
SELECT EXISTS (
    SELECT 1
    FROM (SELECT position, first_seq FROM outbox_ranges WHERE position <= :position ORDER BY position DESC LIMIT 1) AS r
    STRAIGHT_JOIN outbox AS o FORCE INDEX (PRIMARY) ON o.seq = r.first_seq + (:position - r.position)
    STRAIGHT_JOIN outbox_deliveries AS s ON s.`key` = o.`key` AND s.tenant <=> o.tenant
    WHERE s.destination = :destination AND s.status = 'delivered' AND s.position > :position) AS overtaken
