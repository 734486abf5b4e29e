-- Names a destination; a paused one stays paused. By primary key.
INSERT INTO outbox_destinations (name, active) VALUES ($1, true) ON CONFLICT (name) DO UPDATE SET active = true;
