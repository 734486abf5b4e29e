-- How many messages wait behind held keys. Reads only the messages of those keys, by `outbox_key`.
SELECT h.destination::text, 'waiting', count(*)
FROM outbox_held_keys AS h
JOIN outbox AS o ON o.key IS NOT NULL AND coalesce(o.tenant, '') = h.tenant
    AND CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END = h.key
JOIN outbox_status AS s ON s.seq = o.seq AND s.destination = h.destination AND s.status = 'waiting'
GROUP BY h.destination;
