-- Parks a delivery, or replaces what was parked, by primary key. What someone discarded stays so, and what waits for its answer
-- goes on waiting as it was: a commit that is repeated takes no answer away. `state` comes last, since each assignment sees the ones before. The message is found by its range.
INSERT INTO outbox_parked (
    position, destination, seq, `partition`, tenant, `key`, state, holds, attempts, kills, due_at, worker, error, progress
)
SELECT :position, :destination, r.first_seq + (:position - r.position), :partition, :tenant, :key, :state, :holds, :attempts, :kills,
       UTC_TIMESTAMP(6) + INTERVAL :due_in MICROSECOND, :worker, :error, :progress
FROM (SELECT position, first_seq FROM outbox_ranges WHERE position <= :position ORDER BY position DESC LIMIT 1) AS r
ON DUPLICATE KEY UPDATE
    holds = IF(outbox_parked.state IN ('discarding', 'discarded', IF(VALUES(state) = 'awaiting', 'awaiting', 'discarded')), outbox_parked.holds, VALUES(holds)),
    attempts = IF(outbox_parked.state IN ('discarding', 'discarded', IF(VALUES(state) = 'awaiting', 'awaiting', 'discarded')), outbox_parked.attempts, VALUES(attempts)),
    kills = IF(outbox_parked.state IN ('discarding', 'discarded', IF(VALUES(state) = 'awaiting', 'awaiting', 'discarded')), outbox_parked.kills, VALUES(kills)),
    due_at = IF(outbox_parked.state IN ('discarding', 'discarded', IF(VALUES(state) = 'awaiting', 'awaiting', 'discarded')), outbox_parked.due_at, VALUES(due_at)),
    worker = IF(outbox_parked.state IN ('discarding', 'discarded', IF(VALUES(state) = 'awaiting', 'awaiting', 'discarded')), outbox_parked.worker, VALUES(worker)),
    error = IF(outbox_parked.state IN ('discarding', 'discarded', IF(VALUES(state) = 'awaiting', 'awaiting', 'discarded')), outbox_parked.error, VALUES(error)),
    progress = IF(outbox_parked.state IN ('discarding', 'discarded', IF(VALUES(state) = 'awaiting', 'awaiting', 'discarded')), outbox_parked.progress, VALUES(progress)),
    state = IF(outbox_parked.state IN ('discarding', 'discarded', IF(VALUES(state) = 'awaiting', 'awaiting', 'discarded')), outbox_parked.state, VALUES(state))
