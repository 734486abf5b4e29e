-- Everything is a candidate, by primary key.
SELECT seq FROM outbox WHERE seq > :after ORDER BY seq LIMIT :limit;
