-- How many messages wait behind held keys. Reads only the messages of those keys, by `outbox_key`. (OFFSET 0 here and elsewhere:
-- the status is worked out for each message found, and not the other way round.)
SELECT h.destination::text AS destination, 'waiting' AS what, count(*) AS messages
FROM outbox_held_keys AS h
JOIN outbox AS o ON o.key IS NOT NULL AND coalesce(o.tenant, '') = h.tenant
    AND CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END = h.key
CROSS JOIN LATERAL (
    SELECT 1 FROM outbox_status AS s
    WHERE s.seq = o.seq AND s.destination = h.destination AND s.status = 'waiting' OFFSET 0) AS waiting
GROUP BY h.destination;
