-- What people call a status: one row per message and active destination that takes it. Exact; nothing of it is stored.
--
-- `delivered_at` is the time of the successful attempt after failures; else when the lane passed the message, to within ten
-- seconds. For a message that waited behind a held key that is earlier than its delivery.
CREATE VIEW outbox_status AS
SELECT seq, id, event_type, aggregate_type, aggregate_id, key, tenant, destination, status, attempts, last_error,
       CASE WHEN parked THEN parked_due_at WHEN status = 'pending' THEN due_at END AS due_at,
       occurred_at,
       CASE WHEN status = 'delivered' THEN coalesce(
           (SELECT max(at) FROM outbox_attempts AS a
            WHERE a.seq = delivery.seq AND a.destination = delivery.destination AND a.error IS NULL),
           (SELECT at FROM outbox_marks AS m
            WHERE m.destination = delivery.destination AND m.partition = delivery.partition AND m.low >= delivery.seq
            ORDER BY m.low LIMIT 1),
           cursor_at) END AS delivered_at,
       CASE WHEN parked THEN parked_worker WHEN status = 'delivered' THEN coalesce(
           (SELECT worker FROM outbox_attempts AS a
            WHERE a.seq = delivery.seq AND a.destination = delivery.destination AND a.error IS NULL
            ORDER BY at DESC LIMIT 1),
           (SELECT worker FROM outbox_marks AS m
            WHERE m.destination = delivery.destination AND m.partition = delivery.partition AND m.low >= delivery.seq
            ORDER BY m.low LIMIT 1),
           cursor_worker) END AS worker
FROM (
    SELECT o.seq, o.partition, o.id, o.event_type, o.aggregate_type, o.aggregate_id, o.key, o.tenant, o.occurred_at, o.due_at,
           d.name AS destination,
           CASE WHEN p.state IS NOT NULL THEN p.state
                WHEN o.seq <= h.after THEN 'delivered'
                WHEN o.seq <= h.until THEN 'waiting'
                WHEN o.seq <= c.low OR instr(c.done, printf(',%x,', o.seq - c.low)) > 0 THEN 'delivered'
                ELSE 'pending' END AS status,
           p.state IS NOT NULL AS parked,
           coalesce(p.attempts, 0) AS attempts,
           p.error AS last_error,
           p.due_at AS parked_due_at,
           p.worker AS parked_worker,
           c.updated_at AS cursor_at,
           c.worker AS cursor_worker
    FROM outbox AS o
    JOIN outbox_destinations AS d ON d.active AND CASE
        WHEN o.destination IS NOT NULL THEN d.name = o.destination
        ELSE EXISTS (SELECT 1 FROM outbox_routes AS r WHERE r.destination = d.name AND o.event_type GLOB r.pattern) END
    LEFT JOIN outbox_cursors AS c ON c.partition = o.partition AND c.destination = d.name
    LEFT JOIN outbox_parked AS p ON p.seq = o.seq AND p.destination = d.name
    LEFT JOIN outbox_held_keys AS h ON h.destination = d.name AND h.key = o.key AND h.tenant = coalesce(o.tenant, '')
) AS delivery;
