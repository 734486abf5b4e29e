-- A cursor for every partition, where there is none yet.
INSERT INTO outbox_cursors (partition, destination, low, updated_at, marked_at)
SELECT partition, :destination, :low, :now, :now FROM outbox_leases WHERE true
ON CONFLICT (partition, destination) DO NOTHING;
