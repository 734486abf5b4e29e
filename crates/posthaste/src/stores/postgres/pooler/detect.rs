//! Finding out whether something stands between us and the server.
//!
//! A server tells its client the number of the process that serves it, for requests to cancel. A pooler has to tell a number of its
//! own, since it serves one client by several processes. So whoever was told another number than the server's own answer does not talk to
//! the server itself. The client keeps the number to itself, except in a request to cancel: one is written, and sent to nobody.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::{future, io};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_postgres::{Client, SimpleQueryMessage};

use crate::error::Result;

/// Length, code, process, key.
const CANCEL_REQUEST: usize = 16;

/// Whether the other side of this connection is not the server itself.
pub(in crate::stores::postgres) async fn is_there(client: &Client) -> Result<bool> {
    let answer = client.simple_query("SELECT pg_backend_pid()").await?;
    let serving = answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0)?.parse::<i32>().ok(),
        _ => None,
    });
    Ok(serving != told(client).await)
}

/// The number that was told when the connection was made.
async fn told(client: &Client) -> Option<i32> {
    let (ours, mut theirs) = tokio::io::duplex(256);
    // Yes, let us speak TLS: the answer to a question that is asked if the settings want it.
    theirs.write_all(b"S").await.ok()?;
    client.cancel_token().cancel_query_raw(ours, Plain).await.ok()?;
    let mut sent = Vec::new();
    theirs.read_to_end(&mut sent).await.ok()?;
    let request = sent.get(sent.len().checked_sub(CANCEL_REQUEST)?..)?;
    Some(i32::from_be_bytes(request.get(8..12)?.try_into().ok()?))
}

/// TLS that is none.
struct Plain;

impl TlsConnect<DuplexStream> for Plain {
    type Stream = PlainStream;
    type Error = io::Error;
    type Future = future::Ready<io::Result<PlainStream>>;

    fn connect(self, stream: DuplexStream) -> Self::Future {
        future::ready(Ok(PlainStream(stream)))
    }
}

struct PlainStream(DuplexStream);

impl TlsStream for PlainStream {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for PlainStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for PlainStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
