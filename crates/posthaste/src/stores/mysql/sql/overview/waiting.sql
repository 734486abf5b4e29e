-- How many messages wait behind held keys. Reads only the messages of those keys, by `outbox_key`.
SELECT s.destination, 'waiting' AS what, COUNT(*) AS messages, NULL AS age
FROM outbox_held_keys AS k
JOIN outbox_deliveries AS s ON s.`key` = k.`key` AND IFNULL(s.tenant, '') = k.tenant AND s.destination = k.destination
WHERE s.status = 'waiting'
GROUP BY s.destination
