-- One message at every destination that takes it; by primary keys.
SELECT destination, status, attempts, kills, last_error, due_at, paused
FROM outbox_deliveries WHERE seq = :seq ORDER BY destination
