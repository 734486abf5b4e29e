-- Whether a destination has a newer message of the same key already, by `outbox_key`.
SELECT EXISTS (
    SELECT 1
    FROM outbox AS o
    JOIN outbox AS newer ON newer.key = o.key AND newer.tenant IS o.tenant AND newer.seq > o.seq
    WHERE o.seq = :seq AND EXISTS (
        SELECT 1 FROM outbox_status AS s
        WHERE s.seq = newer.seq AND s.destination = :destination AND s.status = 'delivered')) AS overtaken;
