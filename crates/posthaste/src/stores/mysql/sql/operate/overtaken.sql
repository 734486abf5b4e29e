-- Whether a destination has a newer message of the same key already, by `outbox_key`. What is asked of the message itself is asked once.
SELECT EXISTS (
    SELECT 1 FROM outbox_deliveries AS s
    WHERE s.`key` = (SELECT o.`key` FROM outbox AS o WHERE o.seq = (
              SELECT r.first_seq + (:position - r.position) FROM outbox_ranges AS r
              WHERE r.position <= :position ORDER BY r.position DESC LIMIT 1))
      AND s.tenant <=> (SELECT o.tenant FROM outbox AS o WHERE o.seq = (
              SELECT r.first_seq + (:position - r.position) FROM outbox_ranges AS r
              WHERE r.position <= :position ORDER BY r.position DESC LIMIT 1))
      AND s.destination = :destination AND s.status = 'delivered' AND s.position > :position) AS overtaken
