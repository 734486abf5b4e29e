//! The links of a scene: between each relay and each server it talks to. One process has them all.

use std::io::{BufRead, Write};
use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::process::Process;
use crate::services::free_addresses;

/// From one relay to one server.
#[derive(Debug, Clone)]
pub struct Link {
    pub relay: usize,
    /// The store or the destination.
    pub server: String,
    pub at: SocketAddr,
    pub to: SocketAddr,
}

impl Link {
    pub fn name(&self) -> String {
        format!("relay-{}-{}", self.relay, self.server)
    }
}

pub struct Links {
    pub all: Vec<Link>,
    process: Process,
    said: Box<dyn BufRead>,
}

impl Links {
    /// Everything passes at first.
    pub fn open(relays: usize, servers: &[(String, SocketAddr)], program: &Path, folder: &Path) -> Result<Self> {
        let addresses = free_addresses(relays * servers.len())?;
        let ends = (0..relays).flat_map(|relay| servers.iter().map(move |server| (relay, server)));
        let link = |((relay, (server, to)), at): ((usize, &(String, SocketAddr)), SocketAddr)| Link {
            relay,
            server: String::clone(server),
            at,
            to: *to,
        };
        let all: Vec<Link> = ends.zip(addresses).map(link).collect();
        let described: Vec<Value> =
            all.iter().map(|link| json!({ "name": link.name(), "at": link.at, "to": link.to })).collect();
        let role = json!({ "role": "links", "links": described });
        let (process, said) = Process::instrument("links", program, &role, folder)?;
        Ok(Self { all, process, said: Box::new(said) })
    }

    /// Where a relay reaches a server.
    pub fn address(&self, relay: usize, server: &str) -> Option<SocketAddr> {
        self.all.iter().find(|link| link.relay == relay && link.server == server).map(|link| link.at)
    }

    /// Sets a fault, and returns when it is in force.
    pub fn set(&mut self, link: &str, fault: &str) -> Result<()> {
        let input = self.process.input.as_mut().context("the links listen")?;
        writeln!(input, "{link} {fault}")?;
        input.flush()?;
        let mut said = String::new();
        self.said.read_line(&mut said)?;
        ensure!(said.starts_with("set"), "the links have ended: see links.log");
        Ok(())
    }
}
