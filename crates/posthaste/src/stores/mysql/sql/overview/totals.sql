-- Messages kept, the newest position, partitions that nobody holds, how long the oldest committed message has waited for its position,
-- and how many gaps are looked after.
SELECT (SELECT COUNT(*) FROM outbox) AS messages, s.newest,
       (SELECT COUNT(*) FROM outbox_leases AS l WHERE l.worker IS NULL OR l.expires_at <= UTC_TIMESTAMP(6)) AS unheld_partitions,
       (SELECT COALESCE(TIMESTAMPDIFF(MICROSECOND, MIN(o.recorded_at), UTC_TIMESTAMP(6)), 0)
        FROM outbox AS o WHERE o.seq > s.head) AS sequencer_delay,
       (SELECT COUNT(*) FROM outbox_gaps) AS gaps
FROM outbox_state AS s WHERE s.one = 1
