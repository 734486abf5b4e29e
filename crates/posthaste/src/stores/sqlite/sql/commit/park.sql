-- Parks a delivery, or replaces what was parked, by primary key. What someone discarded stays so, and what waits for its answer goes on
-- waiting as it was: a commit that is repeated takes no answer away.
INSERT INTO outbox_parked (
    seq, destination, partition, tenant, key, state, holds, attempts, kills, due_at, worker, error, progress
) VALUES (
    :seq, :destination, :partition, :tenant, :key, :state, :holds, :attempts, :kills, :due_at, :worker, :error, :progress
)
ON CONFLICT (seq, destination) DO UPDATE SET
    state = excluded.state, holds = excluded.holds, attempts = excluded.attempts, kills = excluded.kills,
    due_at = excluded.due_at, worker = excluded.worker, error = excluded.error, progress = excluded.progress
WHERE state NOT IN ('discarding', 'discarded') AND NOT (state = 'awaiting' AND excluded.state = 'awaiting');
