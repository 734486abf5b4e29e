//! The sink suite on every sink, and on sinks that are wrong on purpose.

mod handlers;
mod planted;
mod stdout;
