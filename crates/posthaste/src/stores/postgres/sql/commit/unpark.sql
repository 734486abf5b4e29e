-- Parked deliveries are settled; by primary key.
DELETE FROM outbox_parked AS p USING unnest($1::bigint[], $2::text[]) AS settled (seq, destination)
WHERE p.seq = settled.seq AND p.destination = settled.destination;
