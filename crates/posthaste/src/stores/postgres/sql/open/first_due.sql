-- In how many milliseconds the first parked delivery of each partition is due, under the same conditions as `sql/due.sql`. One pass
-- over the destination's part of `outbox_parked_due`.
SELECT p.partition, (extract(epoch FROM min(p.due_at) - now()) * 1000)::bigint AS due_in
FROM outbox_parked AS p
WHERE p.destination = $1 AND p.due_at IS NOT NULL
  AND (p.holds OR p.key IS NULL OR NOT EXISTS (
      SELECT 1 FROM outbox_held_keys AS h WHERE h.destination = p.destination AND h.key = p.key AND h.tenant = p.tenant))
GROUP BY p.partition;
