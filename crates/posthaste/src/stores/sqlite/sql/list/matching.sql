-- Of these messages, the deliveries that match, in journal order; one that nobody takes appears once, without a destination and
-- so without a status. A parameter that is NULL does not restrict. By primary key: finding candidates is up to `by_*.sql`.
WITH selected (seq) AS MATERIALIZED (
    SELECT seq FROM outbox
    WHERE seq IN (SELECT value FROM json_each(:seqs))
      AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))
      AND (:event_type IS NULL OR event_type GLOB :event_type)
      AND (:key IS NULL OR key = :key)
      AND (:aggregate_type IS NULL OR aggregate_type = :aggregate_type)
      AND (:aggregate_id IS NULL OR aggregate_id = :aggregate_id)
      AND (:tenant IS NULL OR tenant = :tenant)
      AND (:since IS NULL OR occurred_at >= :since)
      AND (:before IS NULL OR occurred_at < :before))
SELECT seq, id, event_type, aggregate_type, aggregate_id, key, tenant, occurred_at,
       destination, status, attempts, last_error, due_at
FROM outbox_status
WHERE seq IN (SELECT seq FROM selected)
  AND (:statuses IS NULL OR status IN (SELECT value FROM json_each(:statuses)))
  AND (:destination IS NULL OR destination = :destination)
  AND (:error IS NULL OR last_error GLOB :error)
UNION ALL
SELECT seq, id, event_type, aggregate_type, aggregate_id, key, tenant, occurred_at, NULL, NULL, 0, NULL, NULL
FROM outbox AS o
WHERE seq IN (SELECT seq FROM selected)
  AND :statuses IS NULL
  AND :destination IS NULL
  AND :error IS NULL
  AND NOT EXISTS (SELECT 1 FROM outbox_status AS s WHERE s.seq = o.seq)
ORDER BY 1, 9;
