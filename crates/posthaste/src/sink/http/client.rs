//! The HTTP client, which reaches no address that the guard refuses.

use std::sync::Arc;

use reqwest::{Client, redirect};

use super::Times;
use super::guard::Guard;
use super::resolver::{Guarded, Lookup};
use super::transport::innermost;
use crate::sink::settings::Problem;

const USER_AGENT: &str = concat!("posthaste/", env!("CARGO_PKG_VERSION"));

/// A client that follows no redirect, repeats nothing by itself and uses no proxy.
pub(super) fn client(times: Times, guard: Arc<Guard>, lookup: Arc<dyn Lookup>) -> Result<Client, Problem> {
    let client = Client::builder()
        .user_agent(USER_AGENT)
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .referer(false)
        .connect_timeout(times.connect)
        .tcp_nodelay(true)
        .pool_idle_timeout(times.idle)
        .dns_resolver(Arc::new(Guarded { guard, lookup }))
        .build();
    client.map_err(|error| Problem::new("url", format!("finds no HTTP client: {}", innermost(&error))))
}
