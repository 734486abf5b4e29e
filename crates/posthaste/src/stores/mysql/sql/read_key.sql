-- The messages of one key in (:after, :until] that are not parked for :destination on their own, in order.
-- Reads only them, by `outbox_key`.
SELECT {message_columns},
    r.position + (o.seq - r.first_seq) AS position, UTC_TIMESTAMP(6) AS now
FROM outbox AS o
JOIN outbox_ranges AS r ON r.block = o.seq DIV 1024 AND r.first_seq <= o.seq AND r.last_seq >= o.seq
WHERE o.`key` = :key AND o.tenant <=> :tenant AND o.`partition` = :partition
  AND r.position + (o.seq - r.first_seq) > :after AND r.position + (o.seq - r.first_seq) <= :until
  AND NOT EXISTS (SELECT 1 FROM outbox_parked AS p WHERE p.seq = o.seq AND p.destination = :destination)
ORDER BY position
LIMIT :limit
