-- One message at every destination that takes it; by primary keys.
SELECT s.destination::text AS destination, s.status::text AS status, s.attempts, coalesce(p.kills, 0) AS kills, s.last_error, s.due_at, d.paused, d.paused_tenants
FROM outbox_status AS s
JOIN outbox_destinations AS d ON d.name = s.destination
LEFT JOIN outbox_parked AS p ON p.seq = s.seq AND p.destination = s.destination
WHERE s.seq = $1
ORDER BY s.destination;
