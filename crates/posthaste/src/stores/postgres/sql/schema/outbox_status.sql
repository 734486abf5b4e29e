-- What people call a status: one row per message and active destination that takes it. Exact; nothing of it is stored.
--
-- `delivered_at` is the time of the successful attempt after failures; else when the lane passed the message, to within ten
-- seconds. For a message that waited behind a held key that is earlier than its delivery.
CREATE VIEW {schema}.outbox_status AS
SELECT seq, id, event_type, aggregate_type, aggregate_id, key, tenant, destination, partition AS lane, status, attempts,
       last_error,
       CASE WHEN parked THEN parked_due_at WHEN status = 'pending' THEN due_at END AS due_at,
       occurred_at, written_at,
       CASE WHEN status = 'delivered' THEN coalesce(
           (SELECT max(at) FROM {schema}.outbox_attempts AS a
            WHERE a.seq = delivery.seq AND a.destination = delivery.destination AND a.error IS NULL),
           (SELECT at FROM {schema}.outbox_marks AS m
            WHERE m.destination = delivery.destination AND m.partition = delivery.partition
              AND (m.tick, m.seq) >= ({schema}.outbox_tick(delivery.xid), delivery.seq)
            ORDER BY m.tick, m.seq LIMIT 1),
           cursor_at) END AS delivered_at,
       CASE WHEN parked THEN parked_worker WHEN status = 'delivered' THEN coalesce(
           (SELECT worker FROM {schema}.outbox_attempts AS a
            WHERE a.seq = delivery.seq AND a.destination = delivery.destination AND a.error IS NULL
            ORDER BY at DESC LIMIT 1),
           (SELECT worker FROM {schema}.outbox_marks AS m
            WHERE m.destination = delivery.destination AND m.partition = delivery.partition
              AND (m.tick, m.seq) >= ({schema}.outbox_tick(delivery.xid), delivery.seq)
            ORDER BY m.tick, m.seq LIMIT 1),
           cursor_worker) END AS worker,
       xid
FROM (
    SELECT o.seq, o.xid, o.partition, o.id, o.event_type, o.aggregate_type, o.aggregate_id,
           CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END AS key,
           o.tenant, o.occurred_at, o.written_at, o.due_at,
           d.name AS destination,
           CASE WHEN p.state IS NOT NULL THEN p.state
                WHEN {schema}.outbox_passed(o.xid, o.seq, a.floor, a.ceiling, a.running, a.late, h.after_seq) THEN 'delivered'
                WHEN {schema}.outbox_passed(o.xid, o.seq, u.floor, u.ceiling, u.running, u.late, h.until_seq) THEN 'waiting'
                WHEN {schema}.outbox_passed(o.xid, o.seq, t.floor, t.ceiling, t.running, t.late, c.low_seq)
                     OR o.seq = ANY (c.done_seq) THEN 'delivered'
                ELSE 'pending' END AS status,
           p.state IS NOT NULL AS parked,
           coalesce(p.attempts, 0) AS attempts,
           p.error AS last_error,
           p.due_at AS parked_due_at,
           p.worker AS parked_worker,
           c.updated_at AS cursor_at,
           c.worker AS cursor_worker
    FROM {schema}.outbox AS o
    JOIN {schema}.outbox_destinations AS d ON d.active AND CASE
        WHEN o.destination IS NOT NULL THEN d.name = o.destination
        ELSE EXISTS (
            SELECT 1 FROM {schema}.outbox_routes AS r WHERE r.destination = d.name AND o.event_type LIKE r.pattern) END
    LEFT JOIN {schema}.outbox_cursors AS c ON c.partition = o.partition AND c.destination = d.name
    LEFT JOIN {schema}.outbox_ticks AS t ON t.n = c.low_tick
    LEFT JOIN {schema}.outbox_parked AS p ON p.seq = o.seq AND p.destination = d.name
    LEFT JOIN {schema}.outbox_held_keys AS h ON h.destination = d.name AND h.tenant = coalesce(o.tenant, '')
        AND h.key = CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END
    LEFT JOIN {schema}.outbox_ticks AS a ON a.n = h.after_tick
    LEFT JOIN {schema}.outbox_ticks AS u ON u.n = h.until_tick
) AS delivery;
