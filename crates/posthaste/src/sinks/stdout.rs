//! JSON lines on standard output: the smallest sink, the template to copy.
//!
//! Needs nothing and refuses nothing. Whatever goes wrong is wrong with the stream, never with one message, so every error
//! is *unreachable*. The fields of a line are those of `line::Line`; `docs/sinks/stdout.md` lists them.

use std::fmt;
use std::io;

use async_trait::async_trait;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;

use crate::sink::{Error, Outcome, Run, Sink};

mod line;

/// Writes every message as one line of JSON.
pub struct Stdout<W = tokio::io::Stdout> {
    lines: Mutex<Lines<W>>,
}

impl Stdout {
    /// To the standard output of this process.
    pub fn new() -> Self {
        Self::to(tokio::io::stdout())
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
        Self { lines: Mutex::new(Lines { writer, block: Vec::new(), written: 0 }) }
    }
}

impl<W> fmt::Debug for Stdout<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stdout").finish_non_exhaustive()
    }
}

#[async_trait]
impl<W: AsyncWrite + Unpin + Send> Sink for Stdout<W> {
    /// All of the run or none: a stream confirms nothing until it is flushed.
    async fn deliver(&self, run: &Run) -> Outcome {
        let block = match line::block(run) {
            Ok(block) => block,
            Err(error) => {
                return Outcome::stopped(0, Error::reject(format_args!("cannot be written as JSON: {error}")));
            }
        };
        match self.lines.lock().await.write(&block).await {
            Ok(()) => Outcome::delivered(run),
            Err(error) => Outcome::stopped(0, unreachable(&error)),
        }
    }

    async fn check(&self) -> Result<(), Error> {
        self.lines.lock().await.write(&[]).await.map_err(|error| unreachable(&error))
    }
}

fn unreachable(error: &io::Error) -> Error {
    Error::unreachable(format_args!("standard output does not take any more: {error}"))
}

/// The stream, and what is on its way into it.
///
/// The engine may drop a delivery between any two writes. The reader must not see one line torn into the next one for that,
/// so a line that was begun is finished before anything else is written.
struct Lines<W> {
    writer: W,
    block: Vec<u8>,
    written: usize,
}

impl<W: AsyncWrite + Unpin> Lines<W> {
    async fn write(&mut self, block: &[u8]) -> io::Result<()> {
        self.block = [self.rest_of_line(), block].concat();
        self.written = 0;
        while self.written < self.block.len() {
            match self.writer.write(&self.block[self.written..]).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                taken => self.written += taken,
            }
        }
        self.writer.flush().await
    }

    /// Empty unless the last write stopped in the middle of a line.
    fn rest_of_line(&self) -> &[u8] {
        let (before, rest) = self.block.split_at(self.written);
        match before.last() {
            None | Some(b'\n') => &[],
            Some(_) => rest.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests;
