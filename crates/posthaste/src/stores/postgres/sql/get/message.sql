-- One message, by `outbox_id`. A message that is in no tick yet will be in the next one.
SELECT {message_columns},
    coalesce(outbox_tick(o.xid), (SELECT max(n) + 1 FROM outbox_ticks)) AS tick
FROM outbox AS o
WHERE o.id = $1
ORDER BY o.seq LIMIT 1;
