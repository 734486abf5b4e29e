//! SQLite: one writer at a time, so the sequence number of a row is its commit order.
