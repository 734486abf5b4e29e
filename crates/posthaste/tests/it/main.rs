//! Everything that is tested from outside: one binary, a module per subject.

mod domain;
mod examples;
mod logs;
mod relay;
mod servers;
mod sinks;
#[cfg(feature = "kurrentdb")]
mod sources;
mod stores;
