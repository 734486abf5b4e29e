-- The messages of a run of ticks: sequence numbers in ($1, $2] of transactions from $3 up to $4, but not those that were running
-- then ($5). Walks `outbox_seq_index`, and cannot do otherwise: no index serves a condition that is tested for truth, so that a segment without
-- statistics is not sorted as a whole for each page.
SELECT {message_columns}
FROM outbox AS o
WHERE o.seq > $1 AND o.seq <= $2 AND (o.xid >= $3 AND o.xid < $4) IS TRUE AND o.xid <> ALL ($5)
  AND ($6 OR o.partition = ANY ($7))
ORDER BY o.seq
LIMIT $8;
