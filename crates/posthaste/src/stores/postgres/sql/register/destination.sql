-- Names a destination; what was paused stays so.
INSERT INTO outbox_destinations (name, active) VALUES ($1, true) ON CONFLICT (name) DO UPDATE SET active = true;
