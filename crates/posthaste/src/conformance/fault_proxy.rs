//! A TCP proxy that misbehaves on demand, to stand between a sink or store and its server.
//!
//! ```no_run
//! # async fn example(server: std::net::SocketAddr) -> std::io::Result<()> {
//! use posthaste::conformance::fault_proxy::{Fault, FaultProxy};
//!
//! let proxy = FaultProxy::to(server).await?;
//! // … connect the adapter to `proxy.address()` …
//! proxy.set(Fault::DropAnswers).await;
//! # Ok(())
//! # }
//! ```

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinHandle, JoinSet};

/// What the proxy does to its connections, old and new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// Nothing bad.
    #[default]
    Pass,
    /// Every piece of data is held up for this long, in both directions.
    Delay(Duration),
    /// Nobody listens, and connections are closed.
    Refuse,
    /// Connections stay open and nothing comes through, until another fault is set.
    BlackHole,
    /// A connection ends after so many bytes towards the server.
    CutAfter(usize),
    /// Connections are reset.
    Reset,
    /// The server gets the request; the client never gets the answer. The connection ends when another fault is set.
    DropAnswers,
}

/// A running proxy; it and its connections end when it is dropped.
#[derive(Debug)]
pub struct FaultProxy {
    address: SocketAddr,
    commands: mpsc::Sender<Command>,
    task: JoinHandle<()>,
}

/// A fault to set, and whom to tell that it is in force.
type Command = (Fault, oneshot::Sender<()>);

impl FaultProxy {
    /// A proxy on a free local port in front of `server`. Everything passes at first.
    pub async fn to(server: SocketAddr) -> io::Result<Self> {
        Self::at((Ipv4Addr::LOCALHOST, 0).into(), server).await
    }

    /// A proxy at an address that clients are told by others.
    #[expect(clippy::disallowed_methods, reason = "a test tool: the task ends with the proxy")]
    pub async fn at(address: SocketAddr, server: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (commands, inbox) = mpsc::channel(1);
        let acceptor = Acceptor { address, server, listener: Some(listener), fault: watch::Sender::default() };
        Ok(Self { address, commands, task: tokio::spawn(acceptor.run(inbox)) })
    }

    /// Where clients connect.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets a fault and returns when it is in force.
    pub async fn set(&self, fault: Fault) {
        let (in_force, wait) = oneshot::channel();
        // The acceptor runs as long as the proxy, so both channels are open.
        let _ = self.commands.send((fault, in_force)).await;
        let _ = wait.await;
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Acceptor {
    address: SocketAddr,
    server: SocketAddr,
    /// `None` while connections are refused.
    listener: Option<TcpListener>,
    fault: watch::Sender<Fault>,
}

impl Acceptor {
    async fn run(mut self, mut inbox: mpsc::Receiver<Command>) {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                client = accept(self.listener.as_ref()) => {
                    connections.spawn(connection(client, self.server, self.fault.subscribe()));
                }
                Some((fault, in_force)) = inbox.recv() => {
                    self.apply(fault, &mut connections).await;
                    let _ = in_force.send(());
                }
                Some(_) = connections.join_next() => {}
            }
        }
    }

    async fn apply(&mut self, fault: Fault, connections: &mut JoinSet<io::Result<()>>) {
        if fault == Fault::Refuse {
            self.listener = None;
            connections.shutdown().await;
        } else if self.listener.is_none() {
            self.listener = TcpListener::bind(self.address).await.ok();
        }
        self.fault.send_replace(fault);
    }
}

/// The next client; never, while there is no listener.
async fn accept(listener: Option<&TcpListener>) -> TcpStream {
    match listener {
        Some(listener) => match listener.accept().await {
            Ok((client, _)) => client,
            Err(_) => std::future::pending().await,
        },
        None => std::future::pending().await,
    }
}

async fn connection(mut client: TcpStream, server: SocketAddr, fault: watch::Receiver<Fault>) -> io::Result<()> {
    let mut server = TcpStream::connect(server).await?;
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    let both_ways = async {
        tokio::try_join!(
            forward(from_client, to_server, Direction::Request, fault.clone()),
            forward(from_server, to_client, Direction::Answer, fault.clone()),
        )
    };
    let mut reset = fault.clone();
    tokio::select! {
        _ = reset.wait_for(|fault| *fault == Fault::Reset) => {}
        _ = both_ways => {}
    }
    if *fault.borrow() == Fault::Reset {
        client.set_zero_linger()?;
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Request,
    Answer,
}

/// Copies one direction of a connection. An error ends both.
async fn forward(
    mut from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    direction: Direction,
    mut fault: watch::Receiver<Fault>,
) -> io::Result<()> {
    let (mut buffer, mut passed) = (vec![0; 16 << 10], 0);
    loop {
        let length = from.read(&mut buffer).await?;
        if length == 0 {
            return to.shutdown().await;
        }
        let mut end_at = usize::MAX;
        let now = *fault.wait_for(|fault| *fault != Fault::BlackHole).await.map_err(|_| cut())?;
        match (now, direction) {
            (Fault::Delay(delay), _) => tokio::time::sleep(delay).await,
            (Fault::CutAfter(bytes), Direction::Request) => end_at = bytes,
            (Fault::DropAnswers, Direction::Answer) => {
                // What was lost cannot come later: to go on would be to tear a hole into the stream.
                let _ = fault.wait_for(|fault| *fault != Fault::DropAnswers).await;
                return Err(cut());
            }
            _ => {}
        }
        let length = length.min(end_at.saturating_sub(passed));
        to.write_all(&buffer[..length]).await?;
        passed += length;
        if passed >= end_at {
            return Err(cut());
        }
    }
}

fn cut() -> io::Error {
    io::ErrorKind::ConnectionAborted.into()
}

#[cfg(test)]
mod tests;
