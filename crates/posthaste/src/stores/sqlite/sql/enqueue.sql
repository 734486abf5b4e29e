-- Stores a message, unless its origin (`outbox_source`) or its id (`outbox_id`) was stored before. Everything else that is
-- wrong with it is an error. It gets the next sequence number; its partition is given, so that the trigger has nothing to do.
INSERT INTO outbox ({message_names})
VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
ON CONFLICT DO NOTHING;
