//! The configs of a scene: one for each relay, since each has links of its own, and one for operators, who have none.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::brokers::Broker;
use super::links::Links;
use super::stores::Store;

/// How long the partitions of a relay that died stay with it.
pub const LEASE: Duration = Duration::from_secs(3);
/// How long journals keep what is settled: a run of an hour would fill the disk.
const KEPT: Duration = Duration::from_secs(120);
/// The destination that every scene has.
pub const WEBHOOK: &str = "webhook";
/// The destination of applications that handle messages themselves, each exactly once.
pub const HANDLERS: &str = "handlers";

/// What most destinations have in common. Only what a consumer refuses dies: attempts are spent by the faults, too.
const POLICY: &str = "max_attempts = 100000\nbackoff = { type = 'list', delays = ['100ms', '500ms', '1s'] }\n\
                      on_dead = 'block'\ntimeout = '10s'\nmax_in_flight = 32\n";

pub fn write(
    path: &Path,
    relay: usize,
    scene: &str,
    store: &Store,
    links: Option<&Links>,
    endpoint: SocketAddr,
    brokers: &[Broker],
) -> Result<()> {
    let through = |server: &str| links.and_then(|links| links.address(relay, server));
    let mut config = store.config(through);
    let lease = LEASE.as_secs();
    write!(
        config,
        "\n[relay]\nlease_ttl = '{lease}s'\npoll_interval = '50ms'\nwindow_messages = 200\nstop_timeout = '5s'\n\
         \n[retention]\nkeep = '{}s'\npurge_interval = '10s'\n\
         \n[log]\nformat = 'json'\n",
        KEPT.as_secs()
    )?;
    let at = through(WEBHOOK).unwrap_or(endpoint);
    write!(
        config,
        "\n[destinations.{WEBHOOK}]\ntype = 'webhook'\n{POLICY}webhook = {{ url = 'http://{at}/relay-{relay}', \
         allow = ['127.0.0.1'], timeout = '2s', connect_timeout = '1s' }}\n"
    )?;
    for broker in brokers {
        let at = through(broker.kind.name()).unwrap_or(broker.address());
        let table = broker.destination(scene, relay, at);
        write!(config, "\n[destinations.{}]\n{POLICY}{table}", broker.kind.name())?;
    }
    Ok(std::fs::write(path, config)?)
}
