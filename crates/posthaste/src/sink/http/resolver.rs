//! From a name to addresses that may be called.
//!
//! The HTTP client connects to what it gets from here and to nothing else, so there is no moment between the look at an address
//! and its use in which a name could come to mean something else.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::guard::Guard;

/// Finds the addresses of a host.
#[async_trait]
pub trait Lookup: Send + Sync {
    /// The addresses of a host.
    async fn lookup(&self, host: &str) -> io::Result<Vec<SocketAddr>>;
}

/// As the system does it.
#[derive(Debug, Clone, Copy)]
pub struct System;

#[async_trait]
impl Lookup for System {
    async fn lookup(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.collect())
    }
}

/// A lookup behind a guard.
pub(super) struct Guarded {
    pub(super) guard: Arc<Guard>,
    pub(super) lookup: Arc<dyn Lookup>,
}

/// Every address of a host was refused.
#[derive(Debug)]
pub(crate) struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl Refused {
    pub(super) fn new(address: std::net::IpAddr, kind: &str) -> Self {
        Self(format!("{address} is {kind} and must not be called: if it shall be, add its network to `allow`"))
    }
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let (guard, lookup) = (self.guard.clone(), self.lookup.clone());
        Box::pin(async move {
            let found = lookup.lookup(name.as_str()).await?;
            let mut refused = None;
            let mut admitted = Vec::with_capacity(found.len());
            for address in found {
                match guard.admit(address.ip()) {
                    Ok(()) => admitted.push(address),
                    Err(kind) => refused = Some(Refused::new(address.ip(), kind)),
                }
            }
            match refused {
                Some(refused) if admitted.is_empty() => Err(refused.into()),
                None if admitted.is_empty() => Err("the name has no address".into()),
                _ => Ok(Box::new(admitted.into_iter()) as Addrs),
            }
        })
    }
}
