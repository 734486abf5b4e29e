-- Moves the cursors of lanes whose lease is still held under its epoch, and returns which of those asked about that were. A lane
-- that someone else has opened carries a higher epoch, which this very row holds, so that nobody writes late. By primary keys; no
-- index knows what changes. With $8 keeps where cursors stood that were not marked for ten seconds. With $9 the commit does not
-- wait for the disk.
WITH lanes AS MATERIALIZED (
    SELECT * FROM unnest(
        $1::text[], $2::integer[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[]
    ) WITH ORDINALITY AS l (destination, partition, epoch, low_tick, low_seq, done_tick, done_seq, place)
), marked AS (
    INSERT INTO outbox_marks (destination, partition, tick, seq, at, worker)
    SELECT c.destination, c.partition, c.low_tick, c.low_seq, c.updated_at, c.worker
    FROM lanes AS l
    JOIN outbox_leases AS h ON h.partition = l.partition AND h.epoch = l.epoch AND h.worker IS NOT NULL
    JOIN outbox_cursors AS c ON c.partition = l.partition AND c.destination = l.destination AND c.epoch <= l.epoch
    WHERE $8 AND l.low_tick IS NOT NULL AND c.marked_at <= now() - interval '10 seconds'
    ON CONFLICT DO NOTHING
)
UPDATE outbox_cursors AS c SET
    epoch = l.epoch,
    worker = h.worker,
    marked_at = CASE
        WHEN $8 AND l.low_tick IS NOT NULL AND c.marked_at <= now() - interval '10 seconds' THEN c.updated_at
        ELSE c.marked_at END,
    updated_at = CASE WHEN l.low_tick IS NULL THEN c.updated_at ELSE now() END,
    low_tick = coalesce(l.low_tick, c.low_tick),
    low_seq = coalesce(l.low_seq, c.low_seq),
    done_tick = CASE WHEN l.low_tick IS NULL THEN c.done_tick ELSE l.done_tick::bigint[] END,
    done_seq = CASE WHEN l.low_tick IS NULL THEN c.done_seq ELSE l.done_seq::bigint[] END
FROM lanes AS l
-- One lease for each lane, by its key; a plain join compares each with each.
CROSS JOIN LATERAL (
    SELECT worker FROM outbox_leases
    WHERE partition = l.partition AND epoch = l.epoch AND worker IS NOT NULL OFFSET 0) AS h
CROSS JOIN (SELECT CASE WHEN $9 THEN set_config('synchronous_commit', 'off', true) END OFFSET 0) AS quick
WHERE c.partition = l.partition AND c.destination = l.destination AND c.epoch <= l.epoch
RETURNING l.place;
