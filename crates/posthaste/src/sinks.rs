//! Ways out. Each implements `Sink` and names nothing but the vocabulary and that port.

#[cfg(feature = "handlers")]
pub mod handlers;
#[cfg(feature = "stdout")]
pub mod stdout;
