-- Candidates among what is parked, by `outbox_parked_state`.
SELECT DISTINCT seq FROM outbox_parked WHERE state = ANY ($3) AND seq > $1 ORDER BY seq LIMIT $2;
