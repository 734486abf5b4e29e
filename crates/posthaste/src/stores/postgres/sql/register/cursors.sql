-- A cursor for every partition, where there is none yet. By primary key.
INSERT INTO outbox_cursors (partition, destination, low_tick, low_seq, updated_at, marked_at)
SELECT partition, $1, $2, $3, now(), now() FROM outbox_leases
ON CONFLICT (partition, destination) DO NOTHING;
