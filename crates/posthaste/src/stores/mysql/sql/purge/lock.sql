-- Whoever wants to replay one of these messages waits until it is gone, or kept; by primary key.
SELECT seq FROM outbox WHERE seq IN ({seqs}) FOR UPDATE
