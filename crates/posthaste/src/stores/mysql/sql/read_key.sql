-- The messages of one key in (:after, :until] that are not parked for :destination on their own, in order; none of them has a number below
-- :first. Finds them by `outbox_key`, and reads only those it returns.
SELECT {message_columns},
    k.position, UTC_TIMESTAMP(6) AS now
FROM (
    SELECT m.seq, r.position + (m.seq - r.first_seq) AS position
    FROM outbox AS m
    JOIN outbox_ranges AS r ON r.block = m.seq DIV 1024 AND r.first_seq <= m.seq AND r.last_seq >= m.seq
    WHERE m.`key` = :key AND m.tenant <=> :tenant AND m.`partition` = :partition AND m.seq >= :first
      AND r.position + (m.seq - r.first_seq) > :after AND r.position + (m.seq - r.first_seq) <= :until
      AND NOT EXISTS (SELECT 1 FROM outbox_parked AS p WHERE p.seq = m.seq AND p.destination = :destination)
    ORDER BY position
    LIMIT :limit
) AS k
JOIN outbox AS o ON o.seq = k.seq
ORDER BY k.position
