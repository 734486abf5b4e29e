-- Of these messages, those that no destination takes, under the same conditions as `list/matching.sql`. By primary key.
SELECT r.position + (o.seq - r.first_seq) AS position, o.id, o.event_type, o.aggregate_type, o.aggregate_id, o.`key`, o.tenant,
       IFNULL(o.occurred_at, o.recorded_at) AS occurred_at, NULL AS destination, NULL AS status, 0 AS attempts, NULL AS last_error,
       NULL AS due_at
FROM outbox AS o FORCE INDEX (PRIMARY)
STRAIGHT_JOIN outbox_levels AS v
STRAIGHT_JOIN outbox_ranges AS r FORCE INDEX (outbox_ranges_cell)
    ON r.cell = o.seq DIV v.size * 4 + v.level AND r.first_seq <= o.seq AND r.last_seq >= o.seq
WHERE o.seq IN ({seqs})
  AND {ids}
  AND (:event_type IS NULL OR o.event_type LIKE :event_type)
  AND (:key IS NULL OR o.`key` = :key)
  AND (:aggregate_type IS NULL OR o.aggregate_type = :aggregate_type)
  AND (:aggregate_id IS NULL OR o.aggregate_id = :aggregate_id)
  AND (:tenant IS NULL OR o.tenant = :tenant)
  AND (:since IS NULL OR IFNULL(o.occurred_at, o.recorded_at) >= :since)
  AND (:before IS NULL OR IFNULL(o.occurred_at, o.recorded_at) < :before)
  AND NOT EXISTS (SELECT 1 FROM outbox_deliveries AS s WHERE s.seq = o.seq AND s.seq IN ({seqs}))
ORDER BY position
