-- The lane took note of what someone discarded, if it is still marked so. By primary key.
UPDATE outbox_parked AS p SET state = 'discarded', holds = false, due_at = NULL
FROM unnest($1::bigint[], $2::text[]) AS gone (seq, destination)
WHERE p.seq = gone.seq AND p.destination = gone.destination AND p.state = 'discarding';
