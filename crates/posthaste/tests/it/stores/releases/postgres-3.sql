-- The journal of version 3, as it was released. Never changed: tests migrate from it.
-- The journal: one row per message, written in the application's transaction and never changed.
--
-- Any language may write: INSERT INTO outbox (event_type, aggregate_type, aggregate_id, payload) VALUES (…), in the transaction
-- of the change it tells about. Everything else has a default; `seq`, `xid`, `written_at` and `partition` are not for writers
-- (see `roles.sql`). The names of the constraints are the error messages that writers see.

-- CACHE 1: a session that takes numbers in advance would write them down later than others wrote higher ones.
CREATE SEQUENCE {schema}.outbox_seq AS bigint CACHE 1;

CREATE TABLE {schema}.outbox (
    seq            bigint NOT NULL DEFAULT nextval('{schema_text}.outbox_seq'),
    -- The transaction that wrote the row, which tells the tick it is in. The top one, also inside a savepoint.
    xid            xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- When it was written, which tells the segment it lies in. Not the start of the transaction: that may be long ago.
    written_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    occurred_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Not before this time.
    due_at         timestamptz,
    -- A UUIDv7: milliseconds, then chance.
    id             uuid NOT NULL DEFAULT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid,
    -- The slice of the journal: by (tenant, key), or by id where no order is asked. For ever the same for the same key.
    partition      integer NOT NULL GENERATED ALWAYS AS (((
        CASE WHEN key IS NULL THEN uuid_hash_extended(id, 0)
             ELSE hashtextextended(coalesce(tenant, '') || chr(31)
                  || CASE key WHEN '' THEN aggregate_type || '/' || aggregate_id ELSE key END, 0) END
        & 9223372036854775807) % {partitions})::integer) STORED,
    max_attempts   integer,
    event_type     text COLLATE "C" NOT NULL,
    aggregate_type text COLLATE "C" NOT NULL,
    aggregate_id   text COLLATE "C" NOT NULL,
    -- The ordering scope: '' is the aggregate (type/id), NULL asks for no order.
    key            text COLLATE "C" DEFAULT '',
    tenant         text COLLATE "C",
    user_id        text COLLATE "C",
    correlation_id text COLLATE "C",
    -- Only to this destination, whatever the routes say.
    destination    text COLLATE "C",
    source_stream  text COLLATE "C",
    source_event   text COLLATE "C",
    content_type   text COLLATE "C" NOT NULL DEFAULT 'application/json',
    -- [["name","value"], …], or {"name": "value", …} where neither order nor repeats matter.
    headers        json,
    payload        bytea NOT NULL,
    CONSTRAINT "event_type may contain only letters, digits and . _ : / -" CHECK (event_type ~ '^[A-Za-z0-9._:/-]+$'),
    CONSTRAINT "aggregate_type and aggregate_id must not be empty" CHECK (aggregate_type <> '' AND aggregate_id <> ''),
    CONSTRAINT "key, tenant and aggregate may have 1,000 bytes each" CHECK (
        octet_length(key) <= 1000 AND octet_length(tenant) <= 1000
        AND octet_length(aggregate_type) <= 1000 AND octet_length(aggregate_id) <= 1000),
    CONSTRAINT "tenant must not be empty: leave it out" CHECK (tenant <> ''),
    CONSTRAINT "max_attempts must be at least 1" CHECK (max_attempts >= 1),
    CONSTRAINT "source_stream and source_event come together or not at all" CHECK (
        (source_stream IS NULL) = (source_event IS NULL))
) PARTITION BY RANGE (written_at);

-- What was written while nobody made a segment for it, so that an application can always write.
CREATE TABLE {schema}.outbox_rest PARTITION OF {schema}.outbox DEFAULT;

-- For reading on. In the order of writing, so an insert touches its last page only.
CREATE INDEX outbox_seq_index ON {schema}.outbox (seq);
-- For ticks, and for the messages of a late transaction.
CREATE INDEX outbox_xid ON {schema}.outbox (xid, seq);
CREATE INDEX outbox_id ON {schema}.outbox (id);
-- For a held key that catches up, and for operators who ask about a key.
CREATE INDEX outbox_key ON {schema}.outbox (
    (CASE key WHEN '' THEN aggregate_type || '/' || aggregate_id ELSE key END), seq) WHERE key IS NOT NULL;
-- For the history of an aggregate.
CREATE INDEX outbox_aggregate ON {schema}.outbox (aggregate_id, seq);

-- The idempotency fence: one message per foreign event and destination, for as long as the message is kept. A table of its own,
-- because a unique index of a table in segments cannot reach over all of them.
CREATE TABLE {schema}.outbox_origins (
    source_stream text COLLATE "C" NOT NULL,
    source_event  text COLLATE "C" NOT NULL,
    destination   text COLLATE "C" NOT NULL,
    written_at    timestamptz NOT NULL,
    seq           bigint NOT NULL,
    PRIMARY KEY (source_stream, source_event, destination)
);
CREATE INDEX outbox_origins_seq ON {schema}.outbox_origins (seq);

-- Leaves a message out if its origin is known. Writers need no right to the fence.
CREATE FUNCTION {schema}.outbox_is_new() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = {schema}, pg_temp AS $$
BEGIN
    INSERT INTO outbox_origins VALUES (
        NEW.source_stream, NEW.source_event, coalesce(NEW.destination, ''), NEW.written_at, NEW.seq) ON CONFLICT DO NOTHING;
    RETURN CASE WHEN FOUND THEN NEW END;
END $$;
CREATE TRIGGER outbox_is_new BEFORE INSERT ON {schema}.outbox
    FOR EACH ROW WHEN (NEW.source_stream IS NOT NULL AND NEW.source_event IS NOT NULL)
    EXECUTE FUNCTION {schema}.outbox_is_new();

-- What this journal is: one row.
CREATE TABLE {schema}.outbox_schema (
    version    integer NOT NULL,
    -- Fixed for ever: another number would put the messages of a key into another partition.
    partitions integer NOT NULL,
    -- The database this journal was made in, and which of its histories: see `identity.rs`.
    system     text NOT NULL,
    timeline   text NOT NULL
);
-- Ticks: the snapshots that put the journal in order. Tick n holds the messages whose transaction ended between the tick before
-- and this one; see `postgres.rs`.
CREATE TABLE {schema}.outbox_ticks (
    n         bigint PRIMARY KEY,
    -- Every transaction from `floor` up to `ceiling` that is not in `running` is in this tick.
    floor     xid8 NOT NULL,
    ceiling   xid8 NOT NULL,
    running   xid8[] NOT NULL,
    -- And these, which were running at the tick before. Only those that wrote messages.
    late      xid8[] NOT NULL,
    -- Of the messages from `floor` to `ceiling`; NULL if there are none.
    first_seq bigint,
    last_seq  bigint,
    -- Of all messages in it; the bytes of their payloads are an estimate where there are 2,000 or more.
    end_seq   bigint NOT NULL,
    messages  bigint NOT NULL,
    bytes     bigint NOT NULL,
    made_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX outbox_ticks_ceiling ON {schema}.outbox_ticks (ceiling, n);

-- The tick of each transaction that was late.
CREATE TABLE {schema}.outbox_late (
    xid  xid8 PRIMARY KEY,
    tick bigint NOT NULL
);

-- Before the first message.
INSERT INTO {schema}.outbox_ticks VALUES (0, '0', '0', '{}', '{}', NULL, NULL, 0, 0, 0);

-- Whether a message lies at or before a position, of which the tick is given by its parts; not, if there is no such tick.
CREATE FUNCTION {schema}.outbox_passed(
    xid xid8, seq bigint, floor xid8, ceiling xid8, running xid8[], late xid8[], low_seq bigint
) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN ceiling IS NULL THEN false
        WHEN xid >= ceiling OR xid = ANY (running) THEN false
        WHEN xid >= floor OR xid = ANY (late) THEN seq <= low_seq
        ELSE true END
$$;

-- The tick that a transaction is in; NULL before it is in one.
CREATE FUNCTION {schema}.outbox_tick(transaction xid8) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(
        (SELECT l.tick FROM {schema}.outbox_late AS l WHERE l.xid = transaction),
        (SELECT t.n FROM {schema}.outbox_ticks AS t
         WHERE t.ceiling > transaction AND NOT EXISTS (
             SELECT 1 FROM (SELECT running FROM {schema}.outbox_ticks ORDER BY n DESC LIMIT 1) AS newest
             WHERE transaction = ANY (newest.running))
         ORDER BY t.ceiling, t.n LIMIT 1))
$$;
-- Everything the relay keeps beside the journal. All of it is small: rows per destination, partition, worker and exception,
-- never per delivered message.

-- Destinations that were registered once; `active` are those the latest registration named.
CREATE TABLE {schema}.outbox_destinations (
    name   text COLLATE "C" PRIMARY KEY,
    active boolean NOT NULL,
    paused boolean NOT NULL DEFAULT false
);

-- Event types a destination takes, as LIKE patterns.
CREATE TABLE {schema}.outbox_routes (
    destination text COLLATE "C" NOT NULL,
    pattern     text COLLATE "C" NOT NULL,
    PRIMARY KEY (destination, pattern)
);

-- How far a lane got: everything up to `low` is settled, and everything that `done` lists. What changes comes last, and no index
-- knows it, so that moving a cursor writes a few dozen bytes.
CREATE TABLE {schema}.outbox_cursors (
    partition   integer NOT NULL,
    destination text COLLATE "C" NOT NULL,
    -- The lease that opened the lane last. A write under an older epoch is refused by this very row.
    epoch       bigint NOT NULL DEFAULT 0,
    worker      text,
    -- Time of the newest of `outbox_marks`.
    marked_at   timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    low_tick    bigint NOT NULL,
    low_seq     bigint NOT NULL,
    done_tick   bigint[],
    done_seq    bigint[],
    PRIMARY KEY (partition, destination)
) WITH (fillfactor = 50);

-- Where cursors stood earlier, at most every ten seconds per lane: when a message was delivered, without a write for it.
CREATE TABLE {schema}.outbox_marks (
    destination text COLLATE "C" NOT NULL,
    partition   integer NOT NULL,
    tick        bigint NOT NULL,
    seq         bigint NOT NULL,
    at          timestamptz NOT NULL,
    worker      text,
    PRIMARY KEY (destination, partition, tick, seq)
);

-- Parked deliveries.
CREATE TABLE {schema}.outbox_parked (
    seq         bigint NOT NULL,
    destination text COLLATE "C" NOT NULL,
    tick        bigint NOT NULL,
    partition   integer NOT NULL,
    -- '' where the message has none, here and in `outbox_held_keys`.
    tenant      text COLLATE "C" NOT NULL,
    key         text COLLATE "C",
    state       text COLLATE "C" NOT NULL,
    holds       boolean NOT NULL,
    attempts    integer NOT NULL,
    kills       integer NOT NULL,
    -- NULL is never, unless someone asks.
    due_at      timestamptz,
    worker      text,
    error       text,
    progress    bytea,
    PRIMARY KEY (seq, destination)
);
CREATE INDEX outbox_parked_due ON {schema}.outbox_parked (destination, due_at, tick, seq) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_parked_head ON {schema}.outbox_parked (destination, key, tenant) WHERE holds;
CREATE INDEX outbox_parked_state ON {schema}.outbox_parked (state, seq);

-- Keys with a cursor of their own: their messages in (after, until] wait.
CREATE TABLE {schema}.outbox_held_keys (
    destination text COLLATE "C" NOT NULL,
    key         text COLLATE "C" NOT NULL,
    tenant      text COLLATE "C" NOT NULL,
    partition   integer NOT NULL,
    after_tick  bigint NOT NULL,
    after_seq   bigint NOT NULL,
    until_tick  bigint NOT NULL,
    until_seq   bigint NOT NULL,
    PRIMARY KEY (destination, key, tenant)
);
CREATE INDEX outbox_held_keys_lane ON {schema}.outbox_held_keys (partition, destination);

-- Failed attempts, and successes that followed failures.
CREATE TABLE {schema}.outbox_attempts (
    seq         bigint NOT NULL,
    destination text COLLATE "C" NOT NULL,
    number      integer NOT NULL,
    at          timestamptz NOT NULL,
    took_ms     bigint NOT NULL,
    worker      text NOT NULL,
    error       text,
    PRIMARY KEY (seq, destination, number)
);

-- Who holds which partition: one row each, for ever. `worker` stays after the end of a lease, which tells one that expired from
-- one that was given back.
CREATE TABLE {schema}.outbox_leases (
    partition  integer PRIMARY KEY,
    worker     text,
    epoch      bigint NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 50);

-- The workers that are alive, and what they report (JSON).
CREATE TABLE {schema}.outbox_workers (
    worker     text PRIMARY KEY,
    expires_at timestamptz NOT NULL,
    report     text
);

INSERT INTO {schema}.outbox_leases (partition) SELECT generate_series(0, {partitions} - 1);
-- What people call a status: one row per message and active destination that takes it. Exact; nothing of it is stored.
--
-- `delivered_at` is the time of the successful attempt after failures; else when the lane passed the message, to within ten
-- seconds. For a message that waited behind a held key that is earlier than its delivery.
CREATE VIEW {schema}.outbox_status AS
SELECT seq, id, event_type, aggregate_type, aggregate_id, key, tenant, destination, partition AS lane, status, attempts,
       last_error,
       CASE WHEN parked THEN parked_due_at WHEN status = 'pending' THEN due_at END AS due_at,
       occurred_at, written_at,
       CASE WHEN status = 'delivered' THEN coalesce(
           (SELECT max(at) FROM {schema}.outbox_attempts AS a
            WHERE a.seq = delivery.seq AND a.destination = delivery.destination AND a.error IS NULL),
           (SELECT at FROM {schema}.outbox_marks AS m
            WHERE m.destination = delivery.destination AND m.partition = delivery.partition
              AND (m.tick, m.seq) >= ({schema}.outbox_tick(delivery.xid), delivery.seq)
            ORDER BY m.tick, m.seq LIMIT 1),
           cursor_at) END AS delivered_at,
       CASE WHEN parked THEN parked_worker WHEN status = 'delivered' THEN coalesce(
           (SELECT worker FROM {schema}.outbox_attempts AS a
            WHERE a.seq = delivery.seq AND a.destination = delivery.destination AND a.error IS NULL
            ORDER BY at DESC LIMIT 1),
           (SELECT worker FROM {schema}.outbox_marks AS m
            WHERE m.destination = delivery.destination AND m.partition = delivery.partition
              AND (m.tick, m.seq) >= ({schema}.outbox_tick(delivery.xid), delivery.seq)
            ORDER BY m.tick, m.seq LIMIT 1),
           cursor_worker) END AS worker,
       xid
FROM (
    SELECT o.seq, o.xid, o.partition, o.id, o.event_type, o.aggregate_type, o.aggregate_id,
           CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END AS key,
           o.tenant, o.occurred_at, o.written_at, o.due_at,
           d.name AS destination,
           CASE WHEN p.state IS NOT NULL THEN p.state
                WHEN {schema}.outbox_passed(o.xid, o.seq, a.floor, a.ceiling, a.running, a.late, h.after_seq) THEN 'delivered'
                WHEN {schema}.outbox_passed(o.xid, o.seq, u.floor, u.ceiling, u.running, u.late, h.until_seq) THEN 'waiting'
                WHEN {schema}.outbox_passed(o.xid, o.seq, t.floor, t.ceiling, t.running, t.late, c.low_seq)
                     OR o.seq = ANY (c.done_seq) THEN 'delivered'
                ELSE 'pending' END AS status,
           p.state IS NOT NULL AS parked,
           coalesce(p.attempts, 0) AS attempts,
           p.error AS last_error,
           p.due_at AS parked_due_at,
           p.worker AS parked_worker,
           c.updated_at AS cursor_at,
           c.worker AS cursor_worker
    FROM {schema}.outbox AS o
    JOIN {schema}.outbox_destinations AS d ON d.active AND CASE
        WHEN o.destination IS NOT NULL THEN d.name = o.destination
        ELSE EXISTS (
            SELECT 1 FROM {schema}.outbox_routes AS r WHERE r.destination = d.name AND o.event_type LIKE r.pattern) END
    LEFT JOIN {schema}.outbox_cursors AS c ON c.partition = o.partition AND c.destination = d.name
    LEFT JOIN {schema}.outbox_ticks AS t ON t.n = c.low_tick
    LEFT JOIN {schema}.outbox_parked AS p ON p.seq = o.seq AND p.destination = d.name
    LEFT JOIN {schema}.outbox_held_keys AS h ON h.destination = d.name AND h.tenant = coalesce(o.tenant, '')
        AND h.key = CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END
    LEFT JOIN {schema}.outbox_ticks AS a ON a.n = h.after_tick
    LEFT JOIN {schema}.outbox_ticks AS u ON u.n = h.until_tick
) AS delivery;
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
-- Merges ticks that everybody has passed and that are older than `age`, up to ten thousand at a time: each run of them into the
-- next one that someone stands at. Which messages lie before a position that is kept stays the same. Returns how many went.
CREATE FUNCTION {schema}.outbox_merge_ticks(age interval) RETURNS bigint LANGUAGE sql
SET search_path = {schema}, pg_temp SET enable_hashjoin = on SET enable_seqscan = on AS $$
    WITH old AS MATERIALIZED (
        SELECT t.* FROM outbox_ticks AS t
        WHERE t.n > 0 AND t.made_at < now() - age AND t.n < (
            SELECT min(c.low_tick) FROM outbox_cursors AS c JOIN outbox_destinations AS d ON d.name = c.destination AND d.active)
        ORDER BY t.n LIMIT 10000
    ), stood_at AS MATERIALIZED (
        SELECT max(n) AS n FROM old
        UNION SELECT low_tick FROM outbox_cursors
        UNION SELECT after_tick FROM outbox_held_keys
        UNION SELECT until_tick FROM outbox_held_keys
        UNION SELECT tick FROM outbox_parked
    ), runs AS MATERIALIZED (
        SELECT min(s.n) OVER (ORDER BY old.n DESC) AS into_tick, old.* FROM old LEFT JOIN stood_at AS s ON s.n = old.n
    ), firsts AS MATERIALIZED (
        SELECT DISTINCT ON (into_tick) into_tick, floor FROM runs ORDER BY into_tick, n
    ), merged AS MATERIALIZED (
        SELECT into_tick, min(first_seq) AS first_seq, max(last_seq) AS last_seq, max(end_seq) AS end_seq,
               sum(messages)::bigint AS messages, sum(bytes)::bigint AS bytes
        FROM runs GROUP BY into_tick HAVING count(*) > 1
    ), updated AS (
        UPDATE outbox_ticks AS t
        SET floor = f.floor, first_seq = m.first_seq, last_seq = m.last_seq, end_seq = m.end_seq, messages = m.messages,
            bytes = m.bytes,
            late = ARRAY(SELECT x FROM runs AS r, unnest(r.late) AS x WHERE r.into_tick = m.into_tick)
        FROM merged AS m JOIN firsts AS f ON f.into_tick = m.into_tick WHERE t.n = m.into_tick
    ), moved AS (
        UPDATE outbox_late AS l SET tick = r.into_tick FROM runs AS r WHERE l.tick = r.n AND r.n <> r.into_tick
    ), gone AS (
        DELETE FROM outbox_ticks AS t USING runs AS r WHERE t.n = r.n AND r.n <> r.into_tick RETURNING 1
    )
    SELECT count(*) FROM gone
$$;
-- What operators changed: who, when, what, how much. Append-only, which the trigger sees to.
CREATE TABLE {schema}.outbox_audit (
    number   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    who      text NOT NULL,
    action   text NOT NULL,
    target   text NOT NULL,
    affected bigint NOT NULL
);

CREATE FUNCTION {schema}.outbox_audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only';
END $$;
CREATE TRIGGER outbox_audit_stays BEFORE DELETE OR UPDATE OR TRUNCATE ON {schema}.outbox_audit
    FOR EACH STATEMENT EXECUTE FUNCTION {schema}.outbox_audit_stays();
-- Who may do what. Roles belong to the whole server, so they are made by a person; this grants them what they need. Nothing
-- happens for a role that does not exist.
--
--     SCHEMA_producer   writes messages: INSERT into the columns that are for writers, and nothing else
--     SCHEMA_relay      runs a relay and the commands of an operator
--
-- The owner of the schema is the administrator: the user that ran the migration.
CREATE FUNCTION {schema}.outbox_grant(producer text, relay text) RETURNS void LANGUAGE plpgsql
SET search_path = {schema}, pg_temp AS $$
DECLARE
    schema text := quote_ident(current_schema());
BEGIN
    IF to_regrole(quote_ident(producer)) IS NOT NULL THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %s TO %I', schema, producer);
        EXECUTE format('GRANT USAGE ON SEQUENCE outbox_seq TO %I', producer);
        EXECUTE format('GRANT INSERT (id, event_type, aggregate_type, aggregate_id, key, tenant, user_id, correlation_id, '
            'occurred_at, due_at, destination, max_attempts, source_stream, source_event, content_type, headers, payload), '
            'SELECT (id) ON outbox TO %I', producer);
    END IF;
    IF to_regrole(quote_ident(relay)) IS NOT NULL THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %s TO %I', schema, relay);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %s TO %I', schema, relay);
        EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON outbox_schema FROM %I', relay);
        EXECUTE format('REVOKE UPDATE ON outbox FROM %I', relay);
        EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %s TO %I', schema, relay);
        EXECUTE format('GRANT EXECUTE ON FUNCTION outbox_add_segments, outbox_drop_segment, outbox_segment_kept_by TO %I', relay);
    END IF;
END $$;

SELECT {schema}.outbox_grant('{schema_name}_producer', '{schema_name}_relay');
INSERT INTO {schema}.outbox_schema (version, partitions, system, timeline)
SELECT 3, {partitions}, system_identifier::text, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) FROM pg_catalog.pg_control_system();
SELECT {schema}.outbox_add_segments(3);
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
-- Foreign logs that are read into this journal: who reads each, under which epoch, how far it got, and what was made of its events. One
-- row for each source, for ever. `worker` stays after the end of a lease, which tells one that expired from one that was given back.
CREATE TABLE {schema}.outbox_sources (
    name       text COLLATE "C" PRIMARY KEY,
    paused     boolean NOT NULL DEFAULT false,
    checkpoint text,
    worker     text,
    epoch      bigint NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL DEFAULT '-infinity',
    events     bigint NOT NULL DEFAULT 0,
    stored     bigint NOT NULL DEFAULT 0,
    duplicates bigint NOT NULL DEFAULT 0,
    ignored    bigint NOT NULL DEFAULT 0,
    refused    bigint NOT NULL DEFAULT 0,
    last_event text,
    moved_at   timestamptz,
    -- What the holder said last (JSON).
    report     text
) WITH (fillfactor = 50);

-- A relay may use what was added.
SELECT {schema}.outbox_grant('{schema_name}_producer', '{schema_name}_relay');
