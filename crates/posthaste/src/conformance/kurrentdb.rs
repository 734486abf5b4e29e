//! A stand-in for EventStoreDB and KurrentDB, of which no server is to be had from a package registry.
//!
//! It speaks the real protocol and behaves as real servers were seen to: checkpoints while it catches up have a prepare position of zero,
//! checkpoints are repeated, a start position is exclusive, `caught_up` comes when the end is reached, a follower names the leader in
//! trailers, the server's own events take positions, and gossip of a single node never answers. One node, or three with a leader that can
//! be killed: each stands behind a [`FaultProxy`], which a kill makes refuse.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Server, ServerTlsConfig};
use uuid::Uuid;

use self::log::Log;
use self::service::NodeService;
use super::fault_proxy::{Fault, FaultProxy};

mod log;
mod persistent;
mod service;
mod subscription;

/// A server, or three of them with one log. Ends when it is dropped.
#[derive(Debug)]
pub struct StandIn {
    shared: Arc<Shared>,
    proxies: Vec<FaultProxy>,
    is_secured: bool,
    _servers: JoinSet<()>,
}

/// What the nodes share.
#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// How long the log is; those who wait for more watch it.
    length: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct State {
    log: Log,
    addresses: Vec<SocketAddr>,
    alive: Vec<bool>,
    leader: usize,
    groups: persistent::Groups,
    /// Answers a subscription in place of serving it.
    refusal: Option<tonic::Status>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StandIn {
    /// One node.
    pub async fn single() -> Self {
        Self::of(1, None).await
    }

    /// Three nodes, of which the first leads.
    pub async fn cluster() -> Self {
        Self::of(3, None).await
    }

    /// Three nodes that speak TLS.
    pub async fn secured_cluster(tls: ServerTlsConfig) -> Self {
        Self::of(3, Some(tls)).await
    }

    async fn of(nodes: usize, tls: Option<ServerTlsConfig>) -> Self {
        let shared = Arc::new(Shared { state: Mutex::default(), length: watch::Sender::new(0) });
        let (mut proxies, mut servers) = (Vec::new(), JoinSet::new());
        for node in 0..nodes {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a local port is free");
            let address = listener.local_addr().expect("it is bound");
            let service = NodeService::new(node, Arc::clone(&shared));
            let mut server = Server::builder();
            if let Some(tls) = &tls {
                server = server.tls_config(tls.clone()).expect("the certificates can be used");
            }
            servers.spawn(async move {
                let served = server.serve_with_incoming(service, TcpIncoming::from(listener)).await;
                served.expect("the stand-in serves until it is dropped");
            });
            let proxy = FaultProxy::to(address).await.expect("a local port is free");
            shared.state().addresses.push(proxy.address());
            shared.state().alive.push(true);
            proxies.push(proxy);
        }
        shared.state().log = Log::with_system_events();
        Self { shared, proxies, is_secured: tls.is_some(), _servers: servers }
    }

    /// What a client is given.
    pub fn connection_string(&self) -> String {
        let state = self.shared.state();
        let hosts: Vec<String> = state.addresses.iter().map(ToString::to_string).collect();
        let options = format!("tls={}&keepAliveInterval=1000&keepAliveTimeout=1000", self.is_secured);
        format!("esdb://{}?{options}", hosts.join(","))
    }

    /// The position of the last event.
    pub fn end(&self) -> u64 {
        let state = self.shared.state();
        state.log.len().checked_sub(1).and_then(|last| state.log.get(last)).map_or(0, |last| last.commit_position)
    }

    /// Appends an event to a stream. Returns its id.
    pub fn append(&self, stream: &str, event_type: &str, data: impl Into<Bytes>, metadata: impl Into<Bytes>) -> Uuid {
        let id = Uuid::now_v7();
        self.append_all([(stream.to_owned(), event_type.to_owned(), id, data.into(), metadata.into())]);
        id
    }

    /// Appends many events at once: stream, type, id, data and metadata of each.
    pub fn append_all(&self, events: impl IntoIterator<Item = (String, String, Uuid, Bytes, Bytes)>) {
        let mut state = self.shared.state();
        for (stream, event_type, id, data, metadata) in events {
            state.log.append(&stream, &event_type, id, data, metadata);
        }
        let length = state.log.len();
        drop(state);
        self.shared.length.send_replace(length);
    }

    /// Appends a link to an event that is there, as a projection does.
    pub fn link(&self, stream: &str, to_stream: &str, revision: u64) {
        let mut state = self.shared.state();
        state.log.link(stream, to_stream, revision);
        let length = state.log.len();
        drop(state);
        self.shared.length.send_replace(length);
    }

    /// Makes a persistent subscription to a stream, or to `$all`.
    pub fn create_group(&self, stream: Option<&str>, group: &str) {
        self.shared.state().groups.create(stream, group);
    }

    /// How many events of a group were acknowledged, and which were parked.
    pub fn group(&self, stream: Option<&str>, group: &str) -> (usize, Vec<Uuid>) {
        self.shared.state().groups.settled(stream, group)
    }

    /// Kills the leader; another node takes over. Alone, nobody does. Returns which it was.
    pub async fn kill_leader(&self) -> usize {
        let leader = self.shared.state().leader;
        self.proxies[leader].set(Fault::Refuse).await;
        let mut state = self.shared.state();
        state.alive[leader] = false;
        if let Some(next) = (0..state.alive.len()).find(|node| state.alive[*node]) {
            state.leader = next;
        }
        leader
    }

    /// Brings a node back, as a follower if another one leads.
    pub async fn revive(&self, node: usize) {
        self.shared.state().alive[node] = true;
        self.proxies[node].set(Fault::Pass).await;
    }

    /// The leader falls silent: connections stay open, and nothing comes through.
    pub async fn silence_leader(&self) {
        let leader = self.shared.state().leader;
        self.proxies[leader].set(Fault::BlackHole).await;
    }

    /// Another node leads from now on, and those who are connected to this one stay so.
    pub fn elect(&self, node: usize) {
        self.shared.state().leader = node;
    }

    /// Every subscription is answered by this status, until `None`.
    pub fn refuse(&self, status: Option<tonic::Status>) {
        self.shared.state().refusal = status;
    }
}
