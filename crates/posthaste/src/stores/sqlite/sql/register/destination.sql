-- Names a destination; what was paused stays so.
INSERT INTO outbox_destinations (name, active) VALUES (:destination, 1)
ON CONFLICT (name) DO UPDATE SET active = 1;
