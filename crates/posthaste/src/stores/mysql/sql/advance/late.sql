-- The numbers of messages that were committed after the head had passed them, by primary key.
SELECT seq FROM outbox WHERE {gaps} ORDER BY seq
