-- Which of these messages someone has asked for since they were found, by `outbox_parked_seq`.
SELECT DISTINCT p.seq FROM outbox_parked AS p FORCE INDEX (outbox_parked_seq)
STRAIGHT_JOIN outbox_destinations AS d ON d.name = p.destination AND d.active
WHERE p.seq IN ({seqs}) AND p.state <> 'discarded'
