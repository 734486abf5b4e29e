-- How many messages a lane comes to before this one. Walks the journal from the cursor, range by range; no range is longer than 1,024.
SELECT COUNT(*) AS messages
FROM outbox_cursors AS c
STRAIGHT_JOIN outbox_ranges AS r FORCE INDEX (PRIMARY) ON r.position < :position AND r.position > c.low - 1024
STRAIGHT_JOIN outbox AS o FORCE INDEX (PRIMARY) ON o.seq BETWEEN r.first_seq AND r.last_seq AND o.`partition` = c.`partition`
WHERE c.destination = :destination AND c.`partition` = :partition
  AND r.position + (o.seq - r.first_seq) > c.low AND r.position + (o.seq - r.first_seq) < :position
  AND INSTR(c.done, CONCAT(',', LOWER(HEX(r.position + (o.seq - r.first_seq) - c.low)), ',')) = 0
