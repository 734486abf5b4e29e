-- One message at every destination that takes it; by primary keys.
SELECT s.destination AS destination, s.status AS status, s.attempts AS attempts, coalesce(p.kills, 0) AS kills,
       s.last_error AS last_error, s.due_at AS due_at, d.paused AS paused, d.paused_tenants AS paused_tenants
FROM outbox_status AS s
JOIN outbox_destinations AS d ON d.name = s.destination
LEFT JOIN outbox_parked AS p ON p.seq = s.seq AND p.destination = s.destination
WHERE s.seq = :seq
ORDER BY s.destination;
