//! The real program, run on real SQLite files: what it prints, and how it ends.
#![expect(
    unreachable_pub,
    reason = "nothing of a test can be reached from outside; `pub` says what a module offers the others"
)]

#[cfg(any(feature = "redis", feature = "nats"))]
mod brokers;
mod config;
mod crashes;
mod demo;
mod first_steps;
mod inspecting;
mod lives;
mod operating;
mod orders;
mod processes;
mod program;
mod relay;
mod scene;
mod writing;
