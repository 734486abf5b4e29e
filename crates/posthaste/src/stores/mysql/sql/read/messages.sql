-- The messages with these numbers in these partitions, by number; the caller puts them in order. Walks the table by its primary key.
SELECT {message_columns}, UTC_TIMESTAMP(6) AS now
FROM outbox AS o FORCE INDEX (PRIMARY)
WHERE ({intervals}) AND {partitions}
ORDER BY o.seq
LIMIT {limit}
