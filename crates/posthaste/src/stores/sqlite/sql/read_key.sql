-- The messages of one key in (:after, :until] that are not parked for :destination on their own, in order.
-- Reads only them, by `outbox_key`.
SELECT {message_columns}
FROM outbox AS o
WHERE o.key = :key AND o.tenant IS :tenant AND o.partition = :partition AND o.seq > :after AND o.seq <= :until
  AND NOT EXISTS (SELECT 1 FROM outbox_parked AS p WHERE p.seq = o.seq AND p.destination = :destination)
ORDER BY o.seq
LIMIT :limit;
