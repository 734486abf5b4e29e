//! Everything that is tested from outside: one binary, a module per subject.

mod sinks;
mod stores;
