-- The messages of one key with these numbers that are not parked for a destination on their own, by number; the caller puts them in order.
-- Walks `outbox_key` and stops at the limit.
SELECT {message_columns}, UTC_TIMESTAMP(6) AS now
FROM outbox AS o FORCE INDEX (outbox_key)
LEFT JOIN outbox_parked AS p FORCE INDEX (outbox_parked_seq) ON p.seq = o.seq AND p.destination = ?
WHERE o.`key` = ? AND o.tenant <=> ? AND o.`partition` = ? AND ({intervals}) AND p.seq IS NULL
ORDER BY o.seq
LIMIT ?
