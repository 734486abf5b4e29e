//! The address at which a proxy takes clients in, or refuses them.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// How long to wait after a client could not be taken in, for example because the process has too many files open.
const PAUSE: Duration = Duration::from_millis(10);

/// How many clients the system keeps for a proxy that has not taken them in yet.
const BACKLOG: u32 = 1_024;

/// Open or shut. The address is bound all the time by a socket that never listens, so that at no moment another program gets it, be it for
/// the near end of a connection.
pub(super) struct Door {
    _reserved: TcpSocket,
    address: SocketAddr,
    listener: Option<TcpListener>,
}

impl Door {
    /// One that is open.
    pub(super) fn at(address: SocketAddr) -> io::Result<Self> {
        let reserved = bound(address)?;
        let address = reserved.local_addr()?;
        Ok(Self { _reserved: reserved, address, listener: Some(bound(address)?.listen(BACKLOG)?) })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next client; never, while the door is shut.
    pub(super) async fn accept(&self) -> TcpStream {
        let Some(listener) = &self.listener else { return std::future::pending().await };
        loop {
            match listener.accept().await {
                Ok((client, _)) => return client,
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// Nobody listens afterwards. Clients that were not taken in yet are reset by the system.
    pub(super) fn shut(&mut self) {
        self.listener = None;
    }

    /// The proxy listens afterwards.
    pub(super) fn open(&mut self) -> io::Result<()> {
        if self.listener.is_none() {
            self.listener = Some(bound(self.address)?.listen(BACKLOG)?);
        }
        Ok(())
    }
}

/// A socket that may share its address with others of this process, and with connections that are still closing.
fn bound(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    #[cfg(unix)]
    socket.set_reuseport(true)?;
    socket.bind(address)?;
    Ok(socket)
}
