-- Everything is a candidate, by `outbox_seq_index`.
SELECT seq FROM outbox WHERE seq > $1 ORDER BY seq LIMIT $2;
