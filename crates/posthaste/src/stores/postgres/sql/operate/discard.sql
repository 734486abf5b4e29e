-- The lanes shall discard these: due at once. By primary key.
UPDATE outbox_parked AS p SET state = 'discarding', due_at = now()
FROM unnest($1::bigint[], $2::text[]) AS c (seq, destination)
WHERE p.seq = c.seq AND p.destination = c.destination;
