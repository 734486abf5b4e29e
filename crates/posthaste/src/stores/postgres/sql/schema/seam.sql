-- After a failover: the journal goes on in a later history of the same database, of which the last moments of the one before may be
-- missing. Made once, however many workers come to it, under the lock that makes ticks. Returns whether this call made it. Anyone may
-- call it: it asks the server itself, and does nothing twice.
--
-- Tick numbers jump, so that none that was given out in the moments that are missing comes again with another meaning. No worker holds
-- a partition any longer, and what one still has under way is refused: epochs jump for the same reason.
--
-- Ids of transactions need no care. A tick that is here was logged under an id of its own, which is at least its ceiling, so no id below
-- its ceiling is given out again.
CREATE FUNCTION {schema}.outbox_seam() RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = {schema}, pg_temp AS $$
DECLARE
    here  text := (SELECT system_identifier::text FROM pg_catalog.pg_control_system());
    later text := substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
    last  outbox_ticks;
BEGIN
    PERFORM pg_advisory_xact_lock(7364, 'outbox_ticks'::regclass::oid::integer);
    UPDATE outbox_schema SET timeline = later WHERE system = here AND timeline COLLATE "C" < later;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT * INTO last FROM outbox_ticks ORDER BY n DESC LIMIT 1;
    INSERT INTO outbox_ticks (n, floor, ceiling, running, late, end_seq, messages, bytes)
    VALUES (last.n + 4294967296, last.ceiling, last.ceiling, last.running, '{}', last.end_seq, 0, 0);
    UPDATE outbox_leases SET worker = NULL, expires_at = '-infinity', epoch = epoch + 1000000;
    INSERT INTO outbox_audit (who, action, target, affected)
    VALUES ('posthaste', 'failover', format('to timeline %s; the last tick before it is %s', later, last.n), 0);
    RETURN true;
END $$;
