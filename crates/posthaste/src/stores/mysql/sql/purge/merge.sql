-- They become one, with everything between them: there is nothing in it. By primary key.
DELETE FROM outbox_gaps WHERE last_seq < :oldest
