-- The newest position seen of each key, for consumers that ask for it. `scope` is tenant and key, which are too long for an index.
CREATE TABLE IF NOT EXISTS {schema}.inbox_order (
    consumer VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    scope    BINARY(32) NOT NULL,
    tick     BIGINT NOT NULL,
    seq      BIGINT NOT NULL,
    PRIMARY KEY (consumer, scope)
) ENGINE = InnoDB
