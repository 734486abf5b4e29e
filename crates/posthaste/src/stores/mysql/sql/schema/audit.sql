-- What operators changed: who, when, what, how much. The program only appends, and its role may do no more (`roles.sql` of the page).
CREATE TABLE outbox_audit (
    number   BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    at       DATETIME(6) NOT NULL,
    who      LONGTEXT NOT NULL,
    action   LONGTEXT NOT NULL,
    target   LONGTEXT NOT NULL,
    affected BIGINT NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};
