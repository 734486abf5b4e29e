-- How many messages lie in segments that nothing keeps.
SELECT count(*) AS messages
FROM outbox_old_segments($1::bigint * interval '1 microsecond') AS s (segment)
JOIN outbox AS o ON o.tableoid = to_regclass(quote_ident(s.segment))
WHERE outbox_segment_kept_by(s.segment) IS NULL;
