//! One connection through a proxy.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::sync::watch;

use super::Fault;

/// A client's connection. It is reset if it is dropped while [`Fault::Reset`] is in force, and closed otherwise.
pub(super) struct Connection {
    client: TcpStream,
    fault: watch::Receiver<Fault>,
}

impl Connection {
    pub(super) fn new(client: TcpStream, fault: watch::Receiver<Fault>) -> Self {
        Self { client, fault }
    }

    /// Connects to the server and copies both ways until either way fails or both have ended.
    pub(super) async fn run(mut self, server: SocketAddr) -> io::Result<()> {
        let mut server = TcpStream::connect(server).await?;
        let (from_client, to_client) = self.client.split();
        let (from_server, to_server) = server.split();
        let requests = Copier::new(to_server, Direction::Request, self.fault.clone());
        let answers = Copier::new(to_client, Direction::Answer, self.fault.clone());
        tokio::try_join!(requests.copy(from_client), answers.copy(from_server))?;
        Ok(())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if *self.fault.borrow() == Fault::Reset {
            // A client that is gone already needs no reset.
            let _ = self.client.set_zero_linger();
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Request,
    Answer,
}

/// One direction of a connection.
struct Copier<'a> {
    to: WriteHalf<'a>,
    direction: Direction,
    fault: watch::Receiver<Fault>,
    /// How many bytes were passed on so far.
    passed: usize,
}

/// What the fault in force means for data that is to be passed on.
enum Passage {
    /// Up to so many bytes may pass now.
    Free(usize),
    /// Nothing passes before this time is over.
    After(Duration),
    /// Nothing passes while this fault is in force.
    Barred,
    /// The connection ends.
    Cut,
}

impl<'a> Copier<'a> {
    fn new(to: WriteHalf<'a>, direction: Direction, fault: watch::Receiver<Fault>) -> Self {
        Self { to, direction, fault, passed: 0 }
    }

    /// Copies until the sender ends its side. An error ends both directions.
    async fn copy(mut self, mut from: ReadHalf<'_>) -> io::Result<()> {
        let mut buffer = vec![0; 16 << 10];
        loop {
            match from.read(&mut buffer).await? {
                0 => return self.end().await,
                length => self.pass(&buffer[..length]).await?,
            }
        }
    }

    /// Passes a piece of data on, as soon as the faults allow.
    async fn pass(&mut self, mut piece: &[u8]) -> io::Result<()> {
        let mut was_delayed = false;
        while !piece.is_empty() {
            self.to.writable().await?;
            match self.try_pass(piece, was_delayed)? {
                Passage::Free(written) => piece = &piece[written..],
                barrier => was_delayed = self.wait(barrier).await?,
            }
        }
        Ok(())
    }

    /// Passes the end of a side on. A barrier holds it back like data: the other side sees an open connection.
    async fn end(&mut self) -> io::Result<()> {
        let mut was_delayed = false;
        loop {
            let fault = *self.fault.borrow_and_update();
            match passage(fault, self.direction, self.passed, was_delayed) {
                Passage::Free(_) => return self.to.shutdown().await,
                barrier => was_delayed = self.wait(barrier).await?,
            }
        }
    }

    /// Looks up the fault and writes what it allows, both under the lock of the channel: whoever sets another fault waits for
    /// this, and nothing is written by the old one afterwards.
    fn try_pass(&mut self, piece: &[u8], was_delayed: bool) -> io::Result<Passage> {
        let fault = self.fault.borrow_and_update();
        let most = match passage(*fault, self.direction, self.passed, was_delayed) {
            Passage::Free(most) => most.min(piece.len()),
            barrier => return Ok(barrier),
        };
        let written = match self.to.try_write(&piece[..most]) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            written => written?,
        };
        self.passed += written;
        match passage(*fault, self.direction, self.passed, true) {
            Passage::Cut => Ok(Passage::Cut),
            _ => Ok(Passage::Free(written)),
        }
    }

    /// Waits until there is a reason to try again, and returns whether a delay is over.
    async fn wait(&mut self, barrier: Passage) -> io::Result<bool> {
        let another_fault = self.fault.changed();
        let delay = match barrier {
            Passage::Cut => return Err(io::ErrorKind::ConnectionAborted.into()),
            Passage::After(delay) => delay,
            _ => Duration::MAX,
        };
        match tokio::time::timeout(delay, another_fault).await {
            Ok(changed) => changed.map(|()| false).map_err(io::Error::other),
            Err(_) => Ok(true),
        }
    }
}

/// What may pass in a direction in which so many bytes have passed already.
fn passage(fault: Fault, direction: Direction, passed: usize, was_delayed: bool) -> Passage {
    match (fault, direction) {
        (Fault::Delay(delay), _) if !was_delayed => Passage::After(delay),
        (Fault::BlackHole | Fault::Refuse | Fault::Reset, _) | (Fault::DropAnswers, Direction::Answer) => {
            Passage::Barred
        }
        (Fault::CutAfter(bytes), Direction::Request) if passed >= bytes => Passage::Cut,
        (Fault::CutAfter(bytes), Direction::Request) => Passage::Free(bytes - passed),
        _ => Passage::Free(usize::MAX),
    }
}
