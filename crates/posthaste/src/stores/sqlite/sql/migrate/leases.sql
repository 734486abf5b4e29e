-- One lease per partition, for ever.
INSERT INTO outbox_leases (partition)
WITH RECURSIVE counted (partition) AS (SELECT 0 UNION ALL SELECT partition + 1 FROM counted WHERE partition + 1 < ?1)
SELECT partition FROM counted;
