-- Whether a message is committed, with a position or without, by `outbox_id`.
SELECT seq FROM outbox WHERE id = :id
