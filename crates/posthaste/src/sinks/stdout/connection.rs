//! The standard output of this process.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::AsyncWrite;
use tokio::task::{JoinHandle, spawn_blocking};

/// Writes and flushes in one task of those that may block. Tokio's own has one for each, and to wake another thread takes longer than
/// to write the lines of a few messages.
#[derive(Debug, Default)]
pub struct StandardOutput {
    under_way: Option<JoinHandle<io::Result<()>>>,
}

impl AsyncWrite for StandardOutput {
    /// Takes all of it, once what was taken before is written. What became of it is the answer to the next flush.
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.as_mut().poll_flush(cx))?;
        let block = bytes.to_vec();
        self.under_way = Some(spawn_blocking(move || {
            let mut output = io::stdout().lock();
            output.write_all(&block)?;
            output.flush()
        }));
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(writing) = &mut self.under_way else { return Poll::Ready(Ok(())) };
        let written = ready!(Pin::new(writing).poll(cx));
        self.under_way = None;
        Poll::Ready(written?)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}
