-- Makes the seam of a failover, if there was one since the last.
SELECT {schema}.outbox_seam() AS made;
