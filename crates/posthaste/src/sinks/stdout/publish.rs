//! Whole lines into a stream.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt};

/// The stream, and what is on its way into it.
///
/// The engine may drop a delivery between any two writes. The reader must not see one line torn into the next one for that,
/// so a line that was begun is finished before anything else is written.
pub(super) struct Lines<W> {
    writer: W,
    block: Vec<u8>,
    written: usize,
}

impl<W> Lines<W> {
    pub(super) fn to(writer: W) -> Self {
        Self { writer, block: Vec::new(), written: 0 }
    }
}

impl<W: AsyncWrite + Unpin> Lines<W> {
    /// Writes and flushes: what is in a buffer only is not delivered.
    pub(super) async fn write(&mut self, block: Vec<u8>) -> io::Result<()> {
        self.block = match self.rest_of_line() {
            [] => block,
            rest => [rest, &block].concat(),
        };
        self.written = 0;
        while self.written < self.block.len() {
            match self.writer.write(&self.block[self.written..]).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                taken => self.written += taken,
            }
        }
        (self.block, self.written) = (Vec::new(), 0);
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
