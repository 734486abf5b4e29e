-- Segments: the journal in parts of a day (UTC), made ahead and dropped as a whole. Functions with the rights of the journal's
-- owner, so that a relay needs none to change tables. None of them waits long for a lock or makes writers wait.

-- Makes the segments of today and the days that follow, where they are missing; returns how many. A day in which something was
-- written while its segment was missing goes without one: its messages stay in `outbox_rest`.
CREATE FUNCTION {schema}.outbox_add_segments(days integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = {schema}, pg_temp SET lock_timeout = '1s' SET timezone = 'UTC' AS $$
DECLARE
    day     date;
    segment text;
    made    integer := 0;
BEGIN
    FOR day IN SELECT current_date + n FROM generate_series(0, days) AS n LOOP
        segment := 'outbox_' || to_char(day, 'YYYYMMDD');
        CONTINUE WHEN to_regclass(segment) IS NOT NULL;
        CONTINUE WHEN EXISTS (SELECT 1 FROM outbox_rest WHERE written_at >= day AND written_at < day + 1);
        EXECUTE format('CREATE TABLE %I (LIKE outbox INCLUDING ALL)', segment);
        EXECUTE format('ALTER TABLE outbox ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', segment, day, day + 1);
        made := made + 1;
    END LOOP;
    RETURN made;
EXCEPTION WHEN lock_not_available OR duplicate_table OR unique_violation THEN
    -- Someone is in the way, or has done it. There is time until tomorrow.
    RETURN 0;
END $$;

-- The segments whose day is over for at least this long, the oldest first.
CREATE FUNCTION {schema}.outbox_old_segments(older_than interval) RETURNS SETOF text LANGUAGE sql STABLE AS $$
    SELECT c.relname::text
    FROM pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = '{schema_text}.outbox'::regclass AND c.relname ~ '^outbox_[0-9]{8}$'
      AND (to_date(right(c.relname, 8), 'YYYYMMDD') + 1)::timestamp AT TIME ZONE 'UTC' <= now() - older_than
    ORDER BY c.relname
$$;

-- What keeps an old segment alive, in words; NULL if nothing does.
CREATE FUNCTION {schema}.outbox_segment_kept_by(segment text) RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = {schema}, pg_temp SET enable_seqscan = off AS $$
DECLARE
    slowest record;
    found   text;
BEGIN
    IF segment !~ '^outbox_[0-9]{8}$' THEN RETURN 'it is no segment'; END IF;
    SELECT c.destination, c.low_seq, t.* INTO slowest
    FROM outbox_cursors AS c
    JOIN outbox_destinations AS d ON d.name = c.destination AND d.active
    JOIN outbox_ticks AS t ON t.n = c.low_tick
    ORDER BY c.low_tick, c.low_seq LIMIT 1;
    IF slowest IS NULL THEN RETURN 'no destination is registered'; END IF;
    EXECUTE format($q$
        SELECT 1 FROM %1$I WHERE xid >= $1 AND NOT outbox_passed(xid, seq, $1, $2, $3, $4, $5)
        UNION ALL
        SELECT 1 FROM %1$I WHERE xid = ANY ($3 || $4) AND NOT outbox_passed(xid, seq, $1, $2, $3, $4, $5)
        LIMIT 1 $q$, segment) INTO found
    USING slowest.floor, slowest.ceiling, slowest.running, slowest.late, slowest.low_seq;
    IF found IS NOT NULL THEN RETURN 'destination ' || slowest.destination || ' has not passed it'; END IF;
    EXECUTE format($q$
        SELECT 'destination ' || p.destination || ' has a ' || p.state || ' message ' || o.id
        FROM outbox_parked AS p JOIN outbox_destinations AS d ON d.name = p.destination AND d.active
        JOIN %I AS o ON o.seq = p.seq WHERE p.state <> 'discarded' LIMIT 1 $q$, segment) INTO found;
    IF found IS NOT NULL THEN RETURN found; END IF;
    EXECUTE format($q$
        SELECT 'destination ' || h.destination || ' holds the key ' || h.key
        FROM outbox_held_keys AS h JOIN outbox_destinations AS d ON d.name = h.destination AND d.active
        JOIN outbox_ticks AS a ON a.n = h.after_tick
        JOIN %I AS o ON o.key IS NOT NULL AND coalesce(o.tenant, '') = h.tenant
            AND CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END = h.key
        WHERE NOT outbox_passed(o.xid, o.seq, a.floor, a.ceiling, a.running, a.late, h.after_seq)
        LIMIT 1 $q$, segment) INTO found;
    RETURN found;
END $$;

-- Drops a segment if nothing keeps it, and returns how many messages it had; NULL if it stays. First it is emptied, for which only
-- those who read it are in the way, and never a writer; then its shell goes, if that is possible at once.
CREATE FUNCTION {schema}.outbox_drop_segment(segment text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = {schema}, pg_temp SET lock_timeout = '50ms' AS $$
DECLARE
    messages bigint;
BEGIN
    IF outbox_segment_kept_by(segment) IS NOT NULL THEN RETURN NULL; END IF;
    EXECUTE format('SELECT count(*) FROM %I', segment) INTO messages;
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', segment);
    -- Someone may have asked for one of its messages since.
    IF outbox_segment_kept_by(segment) IS NOT NULL THEN RETURN NULL; END IF;
    EXECUTE format('DELETE FROM outbox_parked AS p USING %I AS o WHERE o.seq = p.seq', segment);
    EXECUTE format('DELETE FROM outbox_attempts AS a USING %I AS o WHERE o.seq = a.seq', segment);
    EXECUTE format('DELETE FROM outbox_origins AS s USING %I AS o WHERE o.source_stream IS NOT NULL AND o.seq = s.seq', segment);
    EXECUTE format('TRUNCATE %I', segment);
    BEGIN
        EXECUTE format('ALTER TABLE outbox DETACH PARTITION %I', segment);
        EXECUTE format('DROP TABLE %I', segment);
    EXCEPTION WHEN lock_not_available THEN
        NULL;
    END;
    RETURN messages;
EXCEPTION WHEN lock_not_available THEN
    RETURN NULL;
END $$;

REVOKE EXECUTE ON FUNCTION {schema}.outbox_add_segments, {schema}.outbox_drop_segment, {schema}.outbox_segment_kept_by
    FROM PUBLIC;
