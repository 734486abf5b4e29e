-- Attempts, each once however often it is sent; by primary key.
INSERT INTO outbox_attempts (seq, destination, number, at, took_ms, worker, error, reply)
SELECT n.seq, n.destination, n.number, now(), n.took_ms, coalesce(l.worker, ''), n.error, n.reply
FROM unnest($1::bigint[], $2::text[], $3::integer[], $4::integer[], $5::bigint[], $6::text[], $7::text[])
    AS n (seq, destination, partition, number, took_ms, error, reply)
JOIN outbox_leases AS l ON l.partition = n.partition
ON CONFLICT (seq, destination, number) DO UPDATE SET
    at = excluded.at, took_ms = excluded.took_ms, worker = excluded.worker, error = excluded.error,
    reply = excluded.reply;
