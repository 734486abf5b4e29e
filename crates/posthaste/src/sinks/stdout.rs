//! JSON lines on standard output: the smallest sink, the template to copy.
//!
//! Needs nothing and refuses nothing. Whatever goes wrong is wrong with the stream, never with one message, so every error
//! is *unreachable*. The fields of a line are those of `encode::Line`; `docs/sinks/stdout.md` lists them.

use std::fmt;

use async_trait::async_trait;
use tokio::io::AsyncWrite;
use tokio::sync::Mutex;

pub use self::connection::StandardOutput;
use self::publish::Lines;
use crate::sink::{Error, Outcome, Outcomes, Run, Sink};

mod connection;
mod encode;
mod publish;
mod verdict;

/// A flush costs more than the lines of many runs.
const RUNS_AT_ONCE: usize = 1_000;

/// Writes every message as one line of JSON.
pub struct Stdout<W = StandardOutput> {
    /// Whose lines are being made. One block is made while the one before it is written; more of them would only take memory.
    making: Mutex<()>,
    lines: Mutex<Lines<W>>,
}

impl Stdout {
    /// To the standard output of this process.
    pub fn new() -> Self {
        Self::to(StandardOutput::default())
    }
}

impl Default for Stdout {
    fn default() -> Self {
        Self::new()
    }
}

impl<W> Stdout<W> {
    /// To any other stream.
    pub fn to(writer: W) -> Self {
        Self { making: Mutex::new(()), lines: Mutex::new(Lines::to(writer)) }
    }
}

impl<W> fmt::Debug for Stdout<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stdout").finish_non_exhaustive()
    }
}

#[async_trait]
impl<W: AsyncWrite + Unpin + Send> Sink for Stdout<W> {
    async fn deliver(&self, run: &Run) -> Outcome {
        Outcomes::of_one(self, run).await
    }

    fn runs_at_once(&self) -> usize {
        RUNS_AT_ONCE
    }

    /// All of them or none: a stream confirms nothing until it is flushed.
    async fn deliver_all(&self, runs: &[Run], outcomes: &mut Outcomes) {
        let making = self.making.lock().await;
        let mut block = Vec::with_capacity(encode::weight(runs));
        for (nth, run) in runs.iter().enumerate() {
            if let Err(error) = encode::add(run, &mut block) {
                outcomes.answer(nth, Outcome::stopped(0, verdict::of_encoding(&error)));
            }
        }
        let mut lines = self.lines.lock().await;
        drop(making);
        let written = lines.write(block).await;
        drop(lines);
        for (nth, run) in runs.iter().enumerate() {
            outcomes.answer(
                nth,
                match &written {
                    Ok(()) => Outcome::delivered(run),
                    Err(error) => Outcome::stopped(0, verdict::of_stream(error)),
                },
            );
        }
    }

    async fn check(&self) -> Result<(), Error> {
        self.lines.lock().await.write(Vec::new()).await.map_err(|error| verdict::of_stream(&error))
    }
}

#[cfg(test)]
mod tests;
