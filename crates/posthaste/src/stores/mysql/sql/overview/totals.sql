-- Messages kept, of which the server itself keeps count, about, where there are more than :exact; the newest position and the highest
-- number that has one, partitions that nobody holds, how long the oldest committed message has waited for its position, by primary key,
-- and how many gaps are looked after.
SELECT IF(t.kept > :exact, t.kept, (SELECT COUNT(*) FROM outbox)) AS messages, s.newest, s.head,
       (SELECT COUNT(*) FROM outbox_leases AS l WHERE l.worker IS NULL OR l.expires_at <= UTC_TIMESTAMP(6)) AS unheld_partitions,
       COALESCE(TIMESTAMPDIFF(MICROSECOND, (
           SELECT o.recorded_at FROM outbox AS o WHERE o.seq > s.head ORDER BY o.seq LIMIT 1), UTC_TIMESTAMP(6)), 0) AS sequencer_delay,
       (SELECT COUNT(*) FROM outbox_gaps) AS gaps
FROM outbox_state AS s
CROSS JOIN (SELECT MAX(TABLE_ROWS) AS kept FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'outbox') AS t
WHERE s.one = 1
