-- Everything is a candidate, in order. By `outbox_seq_index`.
SELECT seq FROM outbox WHERE seq {beyond} $1 ORDER BY seq {direction} LIMIT $2;
