//! Ports for servers.

use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};

use anyhow::{Context, Result};

const HOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Below those that the system gives to connections. Among them a stopped server could lose its port to a client, even to its
/// own: one that calls from the very port that it calls is connected to itself.
const RANGE: std::ops::Range<u16> = 15_000..30_000;

/// A port that nobody uses, chosen at random so that two who choose at once hardly ever meet.
pub fn free() -> Result<u16> {
    let random = |n: u32| RANGE.start + (RandomState::new().hash_one(n) % RANGE.len() as u64) as u16;
    let is_free = |port: &u16| TcpListener::bind((HOST, *port)).is_ok();
    (0..1000).map(random).find(is_free).context("no port is free")
}

/// So many addresses with free ports.
pub fn addresses(count: usize) -> Result<Vec<SocketAddr>> {
    (0..count).map(|_| Ok(SocketAddr::new(HOST, free()?))).collect()
}
