-- One registration after another: two workers that start at once would wait for each other's rows crosswise.
LOCK TABLE outbox_destinations IN SHARE ROW EXCLUSIVE MODE;
