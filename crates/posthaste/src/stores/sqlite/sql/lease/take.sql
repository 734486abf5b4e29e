-- Takes a free partition under a new epoch, higher than all before; by primary key.
UPDATE outbox_leases SET worker = :worker, epoch = epoch + 1, expires_at = :expires_at
WHERE partition = :partition
RETURNING epoch;
