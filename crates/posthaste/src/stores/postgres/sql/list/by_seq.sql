-- Everything is a candidate, in order. By `outbox_seq_index`.
SELECT seq FROM outbox WHERE seq > $1 ORDER BY seq LIMIT $2;
