-- Removes marks that are older than every message, a bounded number at a time. Reads `outbox_marks` until it has found them.
DELETE FROM outbox_marks WHERE (destination, partition, tick, seq) IN (
    SELECT m.destination, m.partition, m.tick, m.seq
    FROM outbox_marks AS m
    WHERE m.at < (SELECT coalesce((SELECT min(o.written_at) FROM (SELECT written_at FROM outbox ORDER BY seq LIMIT 1) AS o), now()))
      AND m.at < now() - interval '1 hour'
    LIMIT 10000);
