//! Ways out. Each implements `Sink` and names nothing but the vocabulary and that port.
//!
//! Those that have names and headers share [`template`], [`format`](mod@format) and [`settings`].

pub mod format;
#[cfg(feature = "handlers")]
pub mod handlers;
#[cfg(feature = "redis")]
pub mod redis;
pub mod settings;
#[cfg(feature = "stdout")]
pub mod stdout;
pub mod template;
