-- One row per message and active destination that takes it, with its status. Nothing of it is stored. The server puts this view into
-- the statement that uses it, so a condition on a message reaches the table: no value of it is a subquery. All that belongs to a message
-- is looked up by the index that finds this one row, whatever the server believes to know about the tables: it took the held keys of a
-- destination one after the other for each message. A message that a condition names is found by an index for the same reason: a server
-- that believes the journal to be small reads all of it.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW outbox_deliveries AS
SELECT /*[TiDB]*//*+ INL_JOIN(r, c, p, h) *//*[end]*/ r.position + (o.seq - r.first_seq) AS position, o.seq, o.`partition`, o.id,
       o.event_type, o.aggregate_type, o.aggregate_id,
       o.`key`, o.tenant, IFNULL(o.occurred_at, o.recorded_at) AS occurred_at, o.recorded_at, d.name AS destination, d.paused,
       CASE WHEN p.state IS NOT NULL THEN p.state
            WHEN r.position + (o.seq - r.first_seq) <= h.`after` THEN 'delivered'
            WHEN r.position + (o.seq - r.first_seq) <= h.`until` THEN 'waiting'
            WHEN r.position + (o.seq - r.first_seq) <= c.low THEN 'delivered'
            WHEN INSTR(c.done, CONCAT(',', LOWER(HEX(r.position + (o.seq - r.first_seq) - c.low)), ',')) > 0 THEN 'delivered'
            ELSE 'pending' END AS status,
       IFNULL(p.attempts, 0) AS attempts, IFNULL(p.kills, 0) AS kills, p.error AS last_error,
       CASE WHEN p.state IS NOT NULL THEN p.due_at
            WHEN h.scope IS NULL AND r.position + (o.seq - r.first_seq) > c.low
                 AND INSTR(c.done, CONCAT(',', LOWER(HEX(r.position + (o.seq - r.first_seq) - c.low)), ',')) = 0 THEN o.due_at
            WHEN r.position + (o.seq - r.first_seq) > h.`until` AND r.position + (o.seq - r.first_seq) > c.low
                 AND INSTR(c.done, CONCAT(',', LOWER(HEX(r.position + (o.seq - r.first_seq) - c.low)), ',')) = 0 THEN o.due_at
            END AS due_at,
       p.state IS NOT NULL AS parked, p.worker AS parked_worker, c.updated_at AS cursor_at, c.worker AS cursor_worker
FROM outbox AS o FORCE INDEX (PRIMARY, outbox_id, outbox_key, outbox_aggregate)
STRAIGHT_JOIN outbox_levels AS v
STRAIGHT_JOIN outbox_ranges AS r FORCE INDEX (outbox_ranges_cell)
    ON r.cell = o.seq DIV v.size * 4 + v.level AND r.first_seq <= o.seq AND r.last_seq >= o.seq
STRAIGHT_JOIN outbox_destinations AS d ON d.active
LEFT JOIN outbox_cursors AS c FORCE INDEX (PRIMARY) ON c.`partition` = o.`partition` AND c.destination = d.name
LEFT JOIN outbox_parked AS p FORCE INDEX (outbox_parked_seq) ON p.seq = o.seq AND p.destination = d.name
LEFT JOIN outbox_held_keys AS h FORCE INDEX (PRIMARY)
    ON h.destination = d.name AND h.scope = UNHEX(SHA2(CONCAT(IFNULL(o.tenant, ''), X'1F', o.`key`), 256))
WHERE d.name = o.destination OR o.destination IS NULL AND EXISTS (
    SELECT 1 FROM outbox_routes AS t WHERE t.destination = d.name AND o.event_type LIKE t.pattern);

-- What people call a status. `delivered_at` is the time of the successful attempt after failures; else when the lane passed the
-- message, to within ten seconds. For a message that waited behind a held key that is earlier than its delivery.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW outbox_status AS
SELECT s.position, s.seq, s.id, s.event_type, s.aggregate_type, s.aggregate_id, s.`key`, s.tenant, s.destination, s.status,
       s.attempts, s.last_error, s.due_at, s.occurred_at,
       CASE WHEN s.status = 'delivered' THEN COALESCE(
           (SELECT MAX(a.at) FROM outbox_attempts AS a
            WHERE a.position = s.position AND a.destination = s.destination AND a.error IS NULL),
           (SELECT MIN(m.at) FROM outbox_marks AS m
            WHERE m.destination = s.destination AND m.`partition` = s.`partition` AND m.low >= s.position),
           s.cursor_at) END AS delivered_at,
       CASE WHEN s.parked THEN s.parked_worker WHEN s.status = 'delivered' THEN COALESCE(
           (SELECT a.worker FROM outbox_attempts AS a
            WHERE a.position = s.position AND a.destination = s.destination AND a.error IS NULL ORDER BY a.at DESC LIMIT 1),
           (SELECT m.worker FROM outbox_marks AS m
            WHERE m.destination = s.destination AND m.`partition` = s.`partition` AND m.low >= s.position
            ORDER BY m.low LIMIT 1),
           s.cursor_worker) END AS worker
FROM outbox_deliveries AS s;
