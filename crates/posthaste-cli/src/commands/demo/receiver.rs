//! The warehouse: a receiver behind a real socket that records what it accepts, and that can be down.
//!
//! One line per message, `ID JSON`; one line as the answer: `ok`, or `no` and why.

use std::net::SocketAddr;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::event::OrderEvent;
use super::records::Records;

#[derive(Debug)]
pub struct Receiver {
    address: SocketAddr,
    up: watch::Sender<bool>,
    pub records: Records,
}

impl Receiver {
    /// On a free port of this machine.
    pub async fn new() -> std::io::Result<Self> {
        let address = TcpListener::bind("127.0.0.1:0").await?.local_addr()?;
        Ok(Self { address, up: watch::Sender::new(true), records: Records::default() })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn is_up(&self) -> bool {
        *self.up.borrow()
    }

    pub fn set_up(&self, up: bool) {
        self.up.send_replace(up);
    }

    /// Serves while it is up. Going down cuts every connection, whatever was under way: the sender cannot know what arrived.
    pub async fn serve(&self) -> std::io::Result<()> {
        let mut up = self.up.subscribe();
        while up.wait_for(|up| *up).await.is_ok() {
            let listener = TcpListener::bind(self.address).await?;
            let mut connections = JoinSet::new();
            loop {
                tokio::select! {
                    accepted = listener.accept() => {
                        let (stream, _) = accepted?;
                        connections.spawn(answer(stream, self.records.clone()));
                    }
                    _ = up.wait_for(|up| !*up) => break,
                }
            }
        }
        Ok(())
    }
}

/// Answers until the sender goes away.
async fn answer(stream: TcpStream, records: Records) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    while let Some(line) = lines.next_line().await? {
        let reply = match take(&line, &records) {
            Ok(()) => "ok\n".into(),
            Err(why) => format!("no {why}\n"),
        };
        writer.write_all(reply.as_bytes()).await?;
    }
    Ok(())
}

fn take(line: &str, records: &Records) -> Result<(), String> {
    let (id, json) = line.split_once(' ').ok_or("a line is an id and JSON")?;
    let id = id.parse().map_err(|error| format!("bad id: {error}"))?;
    let event: OrderEvent = serde_json::from_str(json).map_err(|error| format!("bad JSON: {error}"))?;
    if event.is_refused() {
        return Err(format!("we do not ship to {}", event.ship_to));
    }
    records.push(event.record(id));
    Ok(())
}
