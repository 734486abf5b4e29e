-- The outbox that most projects write: rows with a status, an index of what is due by status, and one of ids.
CREATE TABLE claims (
    n              BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    id             CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    event_type     VARCHAR(255) NOT NULL,
    aggregate_type VARCHAR(255) NOT NULL,
    aggregate_id   VARCHAR(255) NOT NULL,
    correlation_id VARCHAR(255),
    content_type   VARCHAR(255) NOT NULL,
    payload        LONGBLOB NOT NULL,
    status         VARCHAR(20) NOT NULL DEFAULT 'PENDING',
    attempts       INT NOT NULL DEFAULT 0,
    due_at         DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
    locked_by      VARCHAR(255),
    locked_at      DATETIME(6),
    sent_at        DATETIME(6),
    last_error     LONGTEXT,
    UNIQUE KEY claims_id (id),
    KEY claims_due (status, due_at)
) ENGINE = InnoDB CHARACTER SET utf8mb4
