-- One message at every destination that takes it; by primary keys.
SELECT s.destination, s.status, s.attempts, s.kills, s.last_error, s.due_at, s.paused, d.paused_tenants
FROM outbox_deliveries AS s JOIN outbox_destinations AS d ON d.name = s.destination
WHERE s.seq = :seq ORDER BY s.destination
