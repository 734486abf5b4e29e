-- Why a source was not given; by primary key.
SELECT paused FROM outbox_sources WHERE name = $1;
