//! The demo's own sink, which delivers to the warehouse. A small example of a sink over a connection.

use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use posthaste::Message;
use posthaste::sink::{Error, Outcome, Run, Sink};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufStream};
use tokio::net::TcpStream;

/// Keeps connections that no delivery uses.
#[derive(Debug)]
pub struct WarehouseSink {
    address: SocketAddr,
    free: Mutex<Vec<Connection>>,
}

type Connection = BufStream<TcpStream>;

impl WarehouseSink {
    pub fn new(address: SocketAddr) -> Self {
        Self { address, free: Mutex::default() }
    }

    async fn connection(&self) -> Result<Connection, Error> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match free {
            Some(connection) => Ok(connection),
            None => self.connect().await,
        }
    }

    async fn connect(&self) -> Result<Connection, Error> {
        let connected = TcpStream::connect(self.address).await.and_then(|stream| {
            stream.set_nodelay(true)?;
            Ok(BufStream::new(stream))
        });
        connected.map_err(|error| Error::unreachable(format_args!("warehouse at {}: {error}", self.address)))
    }

    fn release(&self, connection: Connection) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}

#[async_trait::async_trait]
impl Sink for WarehouseSink {
    /// One message after the other, because the second must not arrive if the first is refused. A connection that failed is not used
    /// again.
    async fn deliver(&self, run: &Run) -> Outcome {
        let mut connection = match self.connection().await {
            Ok(connection) => connection,
            Err(error) => return Outcome::stopped(0, error),
        };
        for (confirmed, delivery) in run.deliveries.iter().enumerate() {
            match ask(&mut connection, &delivery.message).await {
                Ok(reply) if reply == "ok" => {}
                Ok(reply) => {
                    self.release(connection);
                    return Outcome::stopped(confirmed, Error::reject(reply.trim_start_matches("no ")));
                }
                Err(error) => {
                    return Outcome::stopped(confirmed, Error::unreachable(format_args!("connection lost: {error}")));
                }
            }
        }
        self.release(connection);
        Outcome::delivered(run)
    }

    async fn check(&self) -> Result<(), Error> {
        self.connect().await.map(|connection| self.release(connection))
    }
}

async fn ask(connection: &mut Connection, message: &Message) -> io::Result<String> {
    connection.write_all(message.id.to_string().as_bytes()).await?;
    connection.write_all(b" ").await?;
    connection.write_all(&message.payload).await?;
    connection.write_all(b"\n").await?;
    connection.flush().await?;
    let mut reply = String::new();
    match connection.read_line(&mut reply).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(reply.trim_end().to_owned()),
    }
}
