-- Who takes an event type; each pattern of the few there are is tried.
SELECT DISTINCT destination FROM outbox_routes WHERE :event_type GLOB pattern;
