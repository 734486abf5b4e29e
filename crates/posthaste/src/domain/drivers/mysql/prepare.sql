-- Makes the table of the inbox, unless it is there. Ends the transaction of its connection, as every statement of this kind does here.
CREATE TABLE IF NOT EXISTS {schema}.inbox (
    consumer VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    message  CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    seen_at  DATETIME(6) NOT NULL,
    PRIMARY KEY (consumer, message),
    KEY inbox_seen_at (consumer, seen_at)
) ENGINE = InnoDB
