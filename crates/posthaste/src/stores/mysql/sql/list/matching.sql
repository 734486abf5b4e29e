-- Of these messages, the deliveries that match, in journal order. A parameter that is NULL does not restrict. By primary key:
-- finding candidates is up to `by_*.sql`.
SELECT position, id, event_type, aggregate_type, aggregate_id, `key`, tenant, occurred_at, destination, status, attempts,
       last_error, due_at
FROM outbox_deliveries
WHERE seq IN ({seqs})
  AND {ids} AND {statuses}
  AND (:destination IS NULL OR destination = :destination)
  AND (:error IS NULL OR last_error LIKE :error)
  AND (:event_type IS NULL OR event_type LIKE :event_type)
  AND (:key IS NULL OR `key` = :key)
  AND (:aggregate_type IS NULL OR aggregate_type = :aggregate_type)
  AND (:aggregate_id IS NULL OR aggregate_id = :aggregate_id)
  AND (:tenant IS NULL OR tenant = :tenant)
  AND (:since IS NULL OR occurred_at >= :since)
  AND (:before IS NULL OR occurred_at < :before)
ORDER BY position, destination
