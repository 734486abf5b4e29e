-- Makes the seam of a failover, if there was one since the last.
SELECT outbox_seam() AS made;
