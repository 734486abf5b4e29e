-- One message, by `outbox_id`, which alone serves the inner part. A message that is in no tick yet will be in the next one.
SELECT {message_columns},
    coalesce(outbox_tick(o.xid), (SELECT max(n) + 1 FROM outbox_ticks)) AS tick
FROM (SELECT * FROM outbox WHERE id = $1 OFFSET 0) AS o
ORDER BY o.seq LIMIT 1;
