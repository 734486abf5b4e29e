-- What operators changed: who, when, what, how much. Append-only, which the triggers see to.
CREATE TABLE outbox_audit (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    at       INTEGER NOT NULL,
    who      TEXT NOT NULL,
    action   TEXT NOT NULL,
    target   TEXT NOT NULL,
    affected INTEGER NOT NULL
) STRICT;

CREATE TRIGGER outbox_audit_stays BEFORE DELETE ON outbox_audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER outbox_audit_keeps BEFORE UPDATE ON outbox_audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
