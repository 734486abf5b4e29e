-- Where the slowest cursor of a destination that is named stands.
SELECT COALESCE(MIN(c.low), 0) AS low
FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination WHERE d.active
