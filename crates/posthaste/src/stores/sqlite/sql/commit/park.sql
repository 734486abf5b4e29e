-- Parks a delivery, or replaces what was parked, by primary key. What someone discarded stays so.
INSERT INTO outbox_parked (
    seq, destination, partition, tenant, key, state, holds, attempts, kills, due_at, worker, error, progress
) VALUES (
    :seq, :destination, :partition, :tenant, :key, :state, :holds, :attempts, :kills, :due_at, :worker, :error, :progress
)
ON CONFLICT (seq, destination) DO UPDATE SET
    state = excluded.state, holds = excluded.holds, attempts = excluded.attempts, kills = excluded.kills,
    due_at = excluded.due_at, worker = excluded.worker, error = excluded.error, progress = excluded.progress
WHERE state NOT IN ('discarding', 'discarded');
