-- Candidates beyond the slowest cursor, by primary key.
SELECT seq FROM outbox
WHERE seq {beyond} :beyond AND seq > (
    SELECT coalesce(min(c.low), 0)
    FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination WHERE d.active)
ORDER BY seq {direction} LIMIT :limit;
