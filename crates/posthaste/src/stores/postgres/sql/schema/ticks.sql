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
