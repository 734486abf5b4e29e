-- Where writers take turns, a range is a few messages long, and a block of 1,024 numbers has hundreds of them. So a range is also found by
-- its cell: the smallest part of the numbers, of 1, 8, 64 or 1,024 of them, that has it all. No cell has more than fifteen ranges, and a
-- message is in four cells. TiDB adds neither a stored column to a table that is there, nor a column and its index at once.
ALTER TABLE outbox_ranges ADD COLUMN cell BIGINT AS (
    CASE WHEN first_seq = last_seq THEN first_seq * 4
         WHEN first_seq DIV 8 = last_seq DIV 8 THEN first_seq DIV 8 * 4 + 1
         WHEN first_seq DIV 64 = last_seq DIV 64 THEN first_seq DIV 64 * 4 + 2
         ELSE first_seq DIV 1024 * 4 + 3 END) /*[not TiDB]*/STORED,/*[end]*//*[TiDB]*/VIRTUAL;
ALTER TABLE outbox_ranges/*[end]*/
    ADD KEY outbox_ranges_cell (cell, first_seq, last_seq);

-- The sizes of cells.
CREATE TABLE IF NOT EXISTS outbox_levels (
    level TINYINT NOT NULL PRIMARY KEY,
    size  SMALLINT NOT NULL
) ENGINE = InnoDB;

INSERT IGNORE INTO outbox_levels (level, size) VALUES (0, 1), (1, 8), (2, 64), (3, 1024);
