-- Which leases are held, on the server that the positions are of; by primary key.
SELECT `partition` FROM outbox_leases
WHERE worker = :worker AND ({leases}) AND EXISTS (SELECT 1 FROM outbox_state AS s WHERE s.one = 1 AND s.server = {server})
ORDER BY `partition`
