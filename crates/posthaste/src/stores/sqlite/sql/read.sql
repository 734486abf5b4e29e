-- Everything in (:after, :until] of these partitions, in order; the caller stops when it has enough. Walks the table by its
-- primary key: one descent, then row after row, whatever the number of partitions. Whoever holds all of them says so, which
-- saves the look at each row.
SELECT {message_columns}
FROM outbox AS o
WHERE o.seq > :after AND o.seq <= :until
  AND (:all OR o.partition IN (SELECT value FROM json_each(:partitions)))
ORDER BY o.seq;
