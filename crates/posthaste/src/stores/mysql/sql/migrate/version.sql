-- Takes note that all steps up to this version are done.
UPDATE outbox_schema SET version = :version
