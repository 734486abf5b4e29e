//! The address at which a proxy takes clients in, or refuses them.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// How long to wait after a client could not be taken in, for example because the process has too many files open.
const PAUSE: Duration = Duration::from_millis(10);

/// How many clients the system keeps for a proxy that has not taken them in yet.
const BACKLOG: u32 = 1_024;

/// Open or shut. The address stays bound while the door is shut, so that no other program gets it meanwhile.
pub(super) struct Door {
    address: SocketAddr,
    listener: Option<TcpListener>,
    reserved: Option<TcpSocket>,
}

impl Door {
    pub(super) fn new(listener: TcpListener, address: SocketAddr) -> Self {
        Self { address, listener: Some(listener), reserved: None }
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
    pub(super) fn shut(&mut self) -> io::Result<()> {
        if self.listener.take().is_some() {
            let socket = if self.address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
            // Connections of the listener may still be closing.
            socket.set_reuseaddr(true)?;
            socket.bind(self.address)?;
            self.reserved = Some(socket);
        }
        Ok(())
    }

    /// The proxy listens afterwards.
    pub(super) fn open(&mut self) -> io::Result<()> {
        if let Some(socket) = self.reserved.take() {
            self.listener = Some(socket.listen(BACKLOG)?);
        }
        Ok(())
    }
}
