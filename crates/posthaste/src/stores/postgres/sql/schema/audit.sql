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
