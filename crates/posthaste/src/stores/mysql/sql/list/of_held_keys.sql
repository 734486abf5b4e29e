-- Of these messages, those whose key a destination that is named holds; by primary keys.
SELECT DISTINCT o.seq
FROM outbox AS o FORCE INDEX (PRIMARY)
STRAIGHT_JOIN outbox_destinations AS d
STRAIGHT_JOIN outbox_held_keys AS h FORCE INDEX (PRIMARY)
    ON h.destination = d.name AND h.scope = UNHEX(SHA2(CONCAT(IFNULL(o.tenant, ''), X'1F', o.`key`), 256))
WHERE o.seq IN ({seqs}) AND d.active
