-- Takes note that all steps up to this version are done, in the transaction that did them.
UPDATE outbox_schema SET version = $1;
