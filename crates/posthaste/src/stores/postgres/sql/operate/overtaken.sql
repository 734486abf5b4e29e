-- Whether a destination has a newer message of the same key already, by `outbox_key`.
SELECT EXISTS (
    SELECT 1
    FROM outbox AS o
    JOIN outbox AS newer ON newer.key IS NOT NULL AND newer.tenant IS NOT DISTINCT FROM o.tenant AND newer.seq > o.seq
        AND CASE newer.key WHEN '' THEN newer.aggregate_type || '/' || newer.aggregate_id ELSE newer.key END
            = CASE o.key WHEN '' THEN o.aggregate_type || '/' || o.aggregate_id ELSE o.key END
    WHERE o.seq = $1 AND EXISTS (
        SELECT 1 FROM outbox_status AS s WHERE s.seq = newer.seq AND s.destination = $2 AND s.status = 'delivered' OFFSET 0)) AS is_overtaken;
