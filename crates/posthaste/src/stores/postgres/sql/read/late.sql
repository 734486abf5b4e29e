-- The messages of transactions that were late ($1), sequence numbers in ($2, $3]; for each by `outbox_xid`, no more than $6. Compares rows,
-- because no other index can serve that: with a plain condition and a limit the planner would now and then walk the whole journal.
SELECT o.*
FROM unnest($1::xid8[]) AS l (xid)
CROSS JOIN LATERAL (
    SELECT {message_columns}
    FROM outbox AS o
    WHERE (o.xid, o.seq) > (l.xid, $2) AND (o.xid, o.seq) <= (l.xid, $3) AND ($4 OR o.partition = ANY ($5))
    ORDER BY o.xid, o.seq LIMIT $6) AS o;
