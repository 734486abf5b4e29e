-- Makes the segments of today and three days ahead, where they are missing.
SELECT outbox_add_segments(3);
