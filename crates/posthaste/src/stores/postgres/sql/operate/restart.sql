-- Deliveries that failed or were discarded start anew, now. Whether they hold their keys and what their sinks remember stay. By primary
-- key.
UPDATE outbox_parked AS p SET state = 'retrying', attempts = 0, kills = 0, error = NULL, due_at = now()
FROM unnest($1::bigint[], $2::text[]) AS c (seq, destination)
WHERE p.seq = c.seq AND p.destination = c.destination;
