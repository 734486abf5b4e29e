-- How long until the first parked delivery of each partition is due, under the same conditions as `due/due.sql`. One pass over the
-- destination's part of `outbox_parked_due`.
SELECT p.`partition`, TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), MIN(p.due_at)) AS due_in
FROM outbox_parked AS p FORCE INDEX (outbox_parked_due)
WHERE p.destination = :destination AND p.due_at IS NOT NULL
  AND (p.holds OR NOT EXISTS (
      SELECT 1 FROM outbox_held_keys AS h WHERE h.destination = p.destination AND h.`key` = p.`key` AND h.tenant = p.tenant))
GROUP BY p.`partition`
