-- What waits for its time is due now; by primary key.
UPDATE outbox_parked AS p SET due_at = now()
FROM unnest($1::bigint[], $2::text[]) AS c (seq, destination)
WHERE p.seq = c.seq AND p.destination = c.destination;
