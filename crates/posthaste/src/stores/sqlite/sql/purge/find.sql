-- Messages from the oldest on: whether they are old enough, and if so whether all who take them are done with them. Before a
-- destination is registered nobody knows who wants what, so nothing may go. By primary key; the caller stops early.
SELECT o.seq AS seq, o.recorded_at <= :before AS is_old, o.recorded_at <= :before AND EXISTS (
    SELECT 1 FROM outbox_destinations WHERE active) AND NOT EXISTS (
    SELECT 1 FROM outbox_status AS s WHERE s.seq = o.seq AND s.status NOT IN ('delivered', 'discarded')) AS is_settled
FROM outbox AS o
WHERE o.seq > :after
ORDER BY o.seq;
