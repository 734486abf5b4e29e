-- Where the lanes of the destinations that are named stand.
SELECT c.destination AS destination, c.partition AS partition, c.low AS low, c.done AS done
FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination
WHERE d.active;
