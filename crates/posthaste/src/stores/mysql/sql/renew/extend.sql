-- Extends leases, even late ones, unless they were given back or taken; by primary key.
UPDATE outbox_leases SET expires_at = UTC_TIMESTAMP(6) + INTERVAL :ttl MICROSECOND
WHERE worker = :worker AND ({leases}) AND EXISTS (SELECT 1 FROM outbox_state AS s WHERE s.one = 1 AND s.server = {server})
