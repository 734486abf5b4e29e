-- Where messages stand in the journal. The sequencer writes both tables, and a message itself is never touched for it.

-- Messages that got consecutive positions and have consecutive numbers: `first_seq` stands at `position`, the next one at the next.
-- No two ranges share a number, and none reaches over a multiple of 1,024, so a message finds its range by its `block`.
CREATE TABLE outbox_ranges (
    position  BIGINT NOT NULL PRIMARY KEY,
    first_seq BIGINT NOT NULL,
    last_seq  BIGINT NOT NULL,
    block     BIGINT NOT NULL,
    KEY outbox_ranges_block (block, first_seq, last_seq)
) ENGINE = InnoDB;

-- Numbers below the highest that has a position, and without one themselves: the transaction that took them still runs, or was
-- rolled back. They are looked at for as long as there are messages from before or after them.
CREATE TABLE outbox_gaps (
    first_seq BIGINT NOT NULL PRIMARY KEY,
    last_seq  BIGINT NOT NULL
) ENGINE = InnoDB;

-- One row: how far the sequencer got, who it is, and on which server.
CREATE TABLE outbox_state (
    one             TINYINT NOT NULL PRIMARY KEY,
    -- The newest position.
    newest          BIGINT NOT NULL,
    -- All numbers up to here have a position or are in a gap.
    head            BIGINT NOT NULL,
    -- Grows with each change of ranges and gaps, so that a sequencer knows whether what it remembers still holds.
    changes         BIGINT NOT NULL,
    -- Grows when an operator has changed something that lanes should look at.
    wakes           BIGINT NOT NULL,
    sequencer       VARCHAR(255) NOT NULL,
    sequencer_until DATETIME(6) NOT NULL,
    -- The server whose commits these positions follow. See docs/stores/mysql.md, “Failover”.
    server          VARCHAR(255) NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE {collation};

-- What this journal is: one row.
CREATE TABLE outbox_schema (
    version    BIGINT NOT NULL,
    -- Fixed for ever: another number would put the messages of a key into another partition.
    partitions INT NOT NULL
) ENGINE = InnoDB;
