-- How long until the first parked delivery of each partition is due, under the same conditions as `due/due.sql`. One pass over the
-- destination's part of `outbox_parked_due`.
SELECT p.`partition`, TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), MIN(p.due_at)) AS due_in
FROM outbox_parked AS p FORCE INDEX (outbox_parked_due)
LEFT JOIN outbox_held_keys AS h FORCE INDEX (PRIMARY)
    ON h.destination = p.destination AND h.scope = UNHEX(SHA2(CONCAT(p.tenant, X'1F', p.`key`), 256))
WHERE p.destination = :destination AND p.due_at IS NOT NULL
  AND (p.holds OR h.scope IS NULL)
GROUP BY p.`partition`
