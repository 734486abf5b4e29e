-- The messages of held keys that are not for the lane to count, and whether they wait. Reads only them, by `outbox_key`.
SELECT h.destination AS holder, o.seq AS seq, o.seq > h.after AS waits, o.event_type AS event_type,
       o.destination AS destination
FROM outbox_held_keys AS h
JOIN outbox AS o ON o.key = h.key AND o.tenant IS nullif(h.tenant, '')
WHERE o.seq <= h.until AND o.seq > min(h.after, :slowest);
