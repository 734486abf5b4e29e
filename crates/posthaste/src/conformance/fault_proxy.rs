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

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use self::acceptor::Acceptor;
use self::door::Door;

mod acceptor;
mod connection;
mod door;

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
    /// The server gets the request; the client never gets the answer, however late the server gives it: when another fault is
    /// set, all connections end.
    DropAnswers,
    /// The connections of this moment lead to a machine that is gone: they stay open, and nothing comes through ever again. New ones
    /// pass, as if another machine had taken its place.
    Vanish,
}

/// A running proxy; it and its connections end when it is dropped.
#[derive(Debug)]
pub struct FaultProxy {
    address: SocketAddr,
    commands: mpsc::Sender<Command>,
    task: JoinHandle<()>,
}

/// A fault to set, and whom to tell that it is in force.
type Command = (Fault, oneshot::Sender<io::Result<()>>);

impl FaultProxy {
    /// A proxy on a free local port in front of `server`. Everything passes at first.
    pub async fn to(server: SocketAddr) -> io::Result<Self> {
        Self::at((Ipv4Addr::LOCALHOST, 0).into(), server).await
    }

    /// A proxy at an address that clients are told by others, where there is no other proxy.
    #[expect(clippy::disallowed_methods, reason = "a test tool: the task ends with the proxy")]
    pub async fn at(address: SocketAddr, server: SocketAddr) -> io::Result<Self> {
        let door = Door::at(address)?;
        let (address, (commands, inbox)) = (door.address(), mpsc::channel(1));
        Ok(Self { address, commands, task: tokio::spawn(Acceptor::new(door, server).run(inbox)) })
    }

    /// Where clients connect.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets a fault and returns when it is in force: from then on no byte is passed on by the fault before it, and the connections
    /// that the change ends have ended. [`Fault::Refuse`], [`Fault::Reset`] and the end of [`Fault::DropAnswers`] end them all.
    ///
    /// # Panics
    ///
    /// If the proxy cannot listen at its address again, because no test can go on then.
    pub async fn set(&self, fault: Fault) {
        let (in_force, wait) = oneshot::channel();
        // The acceptor runs as long as the proxy, unless its runtime ends. Then nobody is left to be deceived.
        let _ = self.commands.send((fault, in_force)).await;
        if let Ok(Err(error)) = wait.await {
            panic!("the proxy cannot listen at {} again: {error}", self.address);
        }
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests;
