-- The numbers of the oldest messages beyond the head that are committed, by primary key.
SELECT seq FROM outbox WHERE seq > :head ORDER BY seq LIMIT {limit}
