-- Segments for today and three days ahead.
SELECT outbox_add_segments(3);
