-- Replays and discards of many deliveries, which workers carry out piece by piece. What a job is and how far it got is one JSON
-- document, which is written whole with each piece.
CREATE TABLE outbox_jobs (
    number   BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    is_open  BOOLEAN NOT NULL,
    document LONGTEXT NOT NULL,
    KEY outbox_jobs_open (is_open, number)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};
