//! For the tests of applications: an [`outbox`] in memory, and a way to wait for a condition.

pub mod outbox;
pub mod waiting;
