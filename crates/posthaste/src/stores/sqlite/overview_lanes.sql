-- Where the lanes of the destinations that are named stand.
SELECT c.destination, c.partition, c.low, c.done
FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination
WHERE d.active;
