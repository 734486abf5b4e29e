-- Candidates among what is parked, by `outbox_parked_state`.
SELECT DISTINCT seq FROM outbox_parked WHERE state = ANY ($3) AND ($4::text IS NULL OR destination = $4) AND seq {beyond} $1 ORDER BY seq {direction} LIMIT $2;
