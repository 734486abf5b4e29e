//! A Redis server that messages go to, asked over one connection how many have come.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use anyhow::{Context, Result, bail};

use crate::services::Server;

pub const STREAM: &str = "events";

pub struct Redis {
    server: Server,
    connection: BufReader<TcpStream>,
}

impl Redis {
    pub fn start() -> Result<Self> {
        let server = Server::start("redis", &[])?;
        let connection = BufReader::new(TcpStream::connect(server.address()).context("Redis does not answer")?);
        Ok(Self { server, connection })
    }

    pub fn address(&self) -> String {
        self.server.address()
    }

    /// Forgets everything.
    pub fn clear(&mut self) -> Result<()> {
        self.ask("FLUSHALL").map(drop)
    }

    /// How many messages have come.
    pub fn length(&mut self) -> Result<usize> {
        let answer = self.ask(&format!("XLEN {STREAM}"))?;
        answer.strip_prefix(':').and_then(|length| length.parse().ok()).with_context(|| format!("no length: {answer}"))
    }

    fn ask(&mut self, command: &str) -> Result<String> {
        self.connection.get_mut().write_all(format!("{command}\r\n").as_bytes())?;
        let mut answer = String::new();
        self.connection.read_line(&mut answer)?;
        match answer.trim_end() {
            "" => bail!("Redis ended the connection"),
            error if error.starts_with('-') => bail!("Redis: {error}"),
            answer => Ok(answer.to_owned()),
        }
    }
}
