-- A person has accepted it: from here on the journal belongs to this database, which was put into `posthaste.system` and
-- `posthaste.timeline`. Tick numbers jump, so that positions only grow whatever happened before. No worker holds a partition any longer, and what one
-- still has under way is refused. Reads the whole journal.
--
-- In a copy from another server the ids of transactions mean nothing, so all messages become one tick in the order of their
-- sequence numbers, and every lane stands before the first message that it has not settled. Nothing is lost, and nothing that is
-- known to be delivered is delivered again.
LOCK TABLE outbox, outbox_ticks, outbox_cursors, outbox_leases IN EXCLUSIVE MODE;

DO $$
DECLARE
    here   text := current_setting('posthaste.system');
    base   bigint := (SELECT max(n) FROM outbox_ticks) + 4294967296;
    newest bigint;
BEGIN
    IF here <> (SELECT system FROM outbox_schema) THEN
        newest := coalesce((SELECT max(seq) FROM outbox), 0);
        CREATE TEMPORARY TABLE lanes ON COMMIT DROP AS
            SELECT c.partition, c.destination, coalesce(min(s.seq) FILTER (WHERE s.status = 'pending') - 1, newest) AS low
            FROM outbox_cursors AS c
            LEFT JOIN outbox_status AS s ON s.lane = c.partition AND s.destination = c.destination
            GROUP BY c.partition, c.destination;
        CREATE TEMPORARY TABLE beyond ON COMMIT DROP AS
            SELECT l.partition, l.destination, array_agg(s.seq ORDER BY s.seq) AS done
            FROM lanes AS l JOIN outbox_status AS s ON s.lane = l.partition AND s.destination = l.destination
            WHERE s.seq > l.low AND s.status <> 'pending' GROUP BY l.partition, l.destination;
        CREATE TEMPORARY TABLE held ON COMMIT DROP AS
            SELECT h.destination, h.key, h.tenant, min(s.seq) - 1 AS after, max(s.seq) AS until
            FROM outbox_held_keys AS h
            JOIN outbox_status AS s ON s.destination = h.destination AND s.key = h.key AND coalesce(s.tenant, '') = h.tenant
            WHERE s.status = 'waiting' GROUP BY h.destination, h.key, h.tenant;

        UPDATE outbox SET xid = '3';
        DELETE FROM outbox_late;
        DELETE FROM outbox_marks;
        DELETE FROM outbox_ticks WHERE n > 0;
        INSERT INTO outbox_ticks (n, floor, ceiling, running, late, first_seq, last_seq, end_seq, messages, bytes)
        SELECT base, '0', '4', '{}', '{}', min(seq), max(seq), newest, count(*), coalesce(sum(octet_length(payload)), 0) FROM outbox;
        UPDATE outbox_parked SET tick = base;
        UPDATE outbox_held_keys AS h SET after_tick = base, until_tick = base, after_seq = k.after, until_seq = k.until
        FROM held AS k WHERE k.destination = h.destination AND k.key = h.key AND k.tenant = h.tenant;
        UPDATE outbox_held_keys SET after_tick = base, until_tick = base WHERE after_tick <> base OR until_tick <> base;
        UPDATE outbox_cursors AS c
        SET low_tick = base, low_seq = l.low, done_seq = b.done,
            done_tick = CASE WHEN b.done IS NOT NULL THEN array_fill(base, ARRAY[cardinality(b.done)]) END
        FROM lanes AS l LEFT JOIN beyond AS b ON b.partition = l.partition AND b.destination = l.destination
        WHERE c.partition = l.partition AND c.destination = l.destination;
    ELSE
        INSERT INTO outbox_ticks (n, floor, ceiling, running, late, end_seq, messages, bytes)
        SELECT base, ceiling, ceiling, running, '{}', end_seq, 0, 0 FROM outbox_ticks ORDER BY n DESC LIMIT 1;
    END IF;
    UPDATE outbox_schema SET system = here, timeline = current_setting('posthaste.timeline');
    -- Higher than any that was given in a future that did not happen.
    UPDATE outbox_leases SET worker = NULL, expires_at = '-infinity', epoch = epoch + 1000000;
END $$;
