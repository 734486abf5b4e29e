-- How often operators, and answers from outside, have changed a delivery. One row, counted up in the transaction of the change: a relay
-- with nothing to do sees by it that there is something. In a table of its own, which is small and often in memory.
CREATE TABLE {schema}.outbox_wakes (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    n   bigint NOT NULL
) WITH (fillfactor = 10);

INSERT INTO {schema}.outbox_wakes (n) VALUES (0);

SELECT {schema}.outbox_grant('{schema_name}_producer', '{schema_name}_relay');
