-- Marks that are older than every message, a bounded number at a time; each lane's from the start of its primary key.
DELETE FROM outbox_marks WHERE (destination, partition, low) IN (
    SELECT m.destination, m.partition, m.low
    FROM outbox_cursors AS c
    JOIN outbox_marks AS m ON m.destination = c.destination AND m.partition = c.partition
    WHERE m.low < coalesce((SELECT min(seq) FROM outbox), (SELECT seq FROM sqlite_sequence WHERE name = 'outbox'))
    LIMIT :limit);
