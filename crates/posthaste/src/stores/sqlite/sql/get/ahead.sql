-- How many messages a lane comes to before this one. Walks the journal from the cursor, by primary key.
SELECT count(*) AS messages
FROM outbox_cursors AS c
JOIN outbox AS o ON o.partition = c.partition AND o.seq > c.low AND o.seq < :seq
WHERE c.destination = :destination AND c.partition = :partition AND instr(c.done, printf(',%x,', o.seq - c.low)) = 0;
