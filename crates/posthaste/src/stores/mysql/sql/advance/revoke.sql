-- Ends all leases. Epochs jump too, over those that the old server may have given.
UPDATE outbox_leases SET worker = NULL, expires_at = '1970-01-01', epoch = epoch + :jump
