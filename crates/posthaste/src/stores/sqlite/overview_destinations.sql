-- The destinations that are named, and the keys they hold.
SELECT d.name, d.paused, (SELECT count(*) FROM outbox_held_keys AS h WHERE h.destination = d.name)
FROM outbox_destinations AS d WHERE d.active ORDER BY d.name;
