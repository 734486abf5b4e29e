//! Ports for servers.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};

const HOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Below those that the system gives to connections. Among them a stopped server could lose its port to a client, even to its
/// own: one that calls from the very port that it calls is connected to itself.
const RANGE: std::ops::Range<u16> = 15_000..30_000;

/// Given out or kept back. Nobody listens there yet, so that they look free.
static SPOKEN_FOR: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// A port that nobody uses, chosen at random so that two who choose at once hardly ever meet. No port is given out twice: a server
/// with many listeners would meet itself once in a hundred starts.
pub fn free() -> Result<u16> {
    let random = |n: u32| RANGE.start + (RandomState::new().hash_one(n) % RANGE.len() as u64) as u16;
    let is_free = |port: &u16| TcpListener::bind((HOST, *port)).is_ok() && keep_back(*port);
    (0..1000).map(random).find(is_free).context("no port is free")
}

/// Gives this port to nobody. False if that was so before.
pub fn keep_back(port: u16) -> bool {
    SPOKEN_FOR.lock().unwrap_or_else(PoisonError::into_inner).insert(port)
}

/// So many addresses with free ports.
pub fn addresses(count: usize) -> Result<Vec<SocketAddr>> {
    (0..count).map(|_| Ok(SocketAddr::new(HOST, free()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_given_out_twice() -> Result<()> {
        let given = (0..1_500).map(|_| free()).collect::<Result<Vec<_>>>()?;
        assert_eq!(given.iter().collect::<BTreeSet<_>>().len(), given.len());
        Ok(())
    }
}
