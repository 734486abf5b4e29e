//! The task that owns a proxy's address and its connections.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::connection::Connection;
use super::door::Door;
use super::{Command, Fault};

pub(super) struct Acceptor {
    server: SocketAddr,
    door: Door,
    connections: JoinSet<io::Result<()>>,
    /// The fault in force. A connection looks it up and passes data on under the lock of this channel.
    fault: watch::Sender<Fault>,
    /// Of connections that lead nowhere any more.
    vanished: Vec<watch::Sender<Fault>>,
}

impl Acceptor {
    pub(super) fn new(door: Door, server: SocketAddr) -> Self {
        Self { server, door, connections: JoinSet::new(), fault: watch::Sender::default(), vanished: Vec::new() }
    }

    pub(super) async fn run(mut self, mut inbox: mpsc::Receiver<Command>) {
        loop {
            tokio::select! {
                client = self.door.accept() => self.take_in(client),
                Some((fault, in_force)) = inbox.recv() => {
                    let applied = self.apply(fault).await;
                    let _ = in_force.send(applied);
                }
                Some(_) = self.connections.join_next() => {}
            }
        }
    }

    fn take_in(&mut self, client: TcpStream) {
        let connection = Connection::new(client, self.fault.subscribe());
        // Otherwise the connection is dropped here, which resets it.
        if *self.fault.borrow() != Fault::Reset {
            self.connections.spawn(connection.run(self.server));
        }
    }

    /// The lock of the channel separates what is passed on by the old fault from what is passed on by the new one. Before
    /// connections end, a fault is set that lets nothing through: a connection that still runs must not pass on what it was to lose.
    async fn apply(&mut self, fault: Fault) -> io::Result<()> {
        let before = *self.fault.borrow();
        let answers_were_dropped = before == Fault::DropAnswers && fault != Fault::DropAnswers;
        if answers_were_dropped || matches!(fault, Fault::Reset | Fault::Refuse) {
            self.fault.send_replace(if fault == Fault::Reset { Fault::Reset } else { Fault::Refuse });
            self.connections.shutdown().await;
        }
        match fault {
            Fault::Refuse => self.door.shut(),
            _ => self.door.open()?,
        }
        if fault == Fault::Vanish {
            self.fault.send_replace(Fault::BlackHole);
            self.vanished.push(std::mem::take(&mut self.fault));
        }
        self.fault.send_replace(fault);
        Ok(())
    }
}
