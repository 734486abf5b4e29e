-- One message by `outbox_id`.
SELECT {message_columns}
FROM outbox AS o
WHERE o.id = :id;
