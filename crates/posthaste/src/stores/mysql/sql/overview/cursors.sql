-- Where the slowest cursor of each destination that is named stands, and where its cursors stand on average.
SELECT c.destination, MIN(c.low) AS slowest, CAST(AVG(c.low) AS SIGNED) AS average
FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination WHERE d.active GROUP BY c.destination
