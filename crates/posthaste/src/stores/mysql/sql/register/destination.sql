-- Names a destination; what was paused stays so.
INSERT INTO outbox_destinations (name, active) VALUES (:destination, TRUE) ON DUPLICATE KEY UPDATE active = TRUE
