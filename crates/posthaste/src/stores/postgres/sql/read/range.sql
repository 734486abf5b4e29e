-- The messages of a run of ticks: sequence numbers in ($1, $2] of transactions from $3 up to $4, but not those that were running
-- then ($5). Walks `outbox_seq_index`.
SELECT {message_columns}
FROM outbox AS o
WHERE o.seq > $1 AND o.seq <= $2 AND o.xid >= $3 AND o.xid < $4 AND o.xid <> ALL ($5) AND ($6 OR o.partition = ANY ($7))
ORDER BY o.seq
LIMIT $8;
