-- The messages of transactions that were late ($1), sequence numbers in ($2, $3]; for each by `outbox_xid`, no more than $6.
SELECT o.*
FROM unnest($1::xid8[]) AS l (xid)
CROSS JOIN LATERAL (
    SELECT {message_columns}
    FROM outbox AS o
    WHERE o.xid = l.xid AND o.seq > $2 AND o.seq <= $3 AND ($4 OR o.partition = ANY ($5))
    ORDER BY o.seq LIMIT $6) AS o;
