-- Deliveries behind held keys. Reads them all, by `outbox_key`.
SELECT h.destination, count(*)
FROM outbox_held_keys AS h
JOIN outbox AS o ON o.key = h.key AND o.tenant IS nullif(h.tenant, '') AND o.seq > h.after AND o.seq <= h.until
WHERE EXISTS (SELECT 1 FROM outbox_status AS s
              WHERE s.seq = o.seq AND s.destination = h.destination AND s.status = 'waiting')
GROUP BY h.destination;
