//! In-process handlers, by event type.
