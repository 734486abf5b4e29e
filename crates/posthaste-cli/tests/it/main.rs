//! The real program, run on real SQLite files: what it prints, and how it ends.
#![expect(
    unreachable_pub,
    reason = "nothing of a test can be reached from outside; `pub` says what a module offers the others"
)]

mod config;
mod demo;
mod first_steps;
mod inspecting;
mod operating;
mod program;
mod relay;
mod scene;
mod writing;
