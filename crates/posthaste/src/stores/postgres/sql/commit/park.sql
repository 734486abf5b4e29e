-- Parks deliveries, or replaces what was parked. What someone discarded stays discarded, and what waits for its answer goes on
-- waiting as it was: a commit that is repeated takes no answer away. By primary key.
INSERT INTO outbox_parked AS p (
    seq, destination, tick, partition, tenant, key, state, holds, attempts, kills, due_at, worker, error, progress)
SELECT n.seq, n.destination, n.tick, n.partition, n.tenant, n.key, n.state, n.holds, n.attempts, n.kills,
       now() + n.due_in * interval '1 microsecond', l.worker, n.error, n.progress
FROM unnest(
    $1::bigint[], $2::text[], $3::bigint[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::boolean[], $9::integer[],
    $10::integer[], $11::bigint[], $12::text[], $13::bytea[]
) AS n (seq, destination, tick, partition, tenant, key, state, holds, attempts, kills, due_in, error, progress)
JOIN outbox_leases AS l ON l.partition = n.partition
ON CONFLICT (seq, destination) DO UPDATE SET
    state = excluded.state, holds = excluded.holds, attempts = excluded.attempts, kills = excluded.kills,
    due_at = excluded.due_at, worker = excluded.worker, error = excluded.error, progress = excluded.progress
WHERE p.state NOT IN ('discarding', 'discarded') AND NOT (p.state = 'awaiting' AND excluded.state = 'awaiting');
