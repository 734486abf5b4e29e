//! Finding a node, and a channel to it.

use std::fmt;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::MetadataValue;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint as Target};
use tonic::{Request, Status};
use tonic_prost::ProstCodec;

use super::connection_string::{ConnectionString, Endpoint, NodePreference};
use super::protocol::gossip::{self, ClusterInfo, MemberInfo};
use super::protocol::{Empty, NodeState};
use super::settings::Settings;
use super::tls;
use crate::sink::settings::Problem;
use crate::source::Error;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Longest event that is read: what a server takes, and some room.
const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// Makes connections, each to the node that is the right one now.
pub(super) struct Connector {
    string: ConnectionString,
    tls: Option<ClientTlsConfig>,
    authorization: Option<MetadataValue<tonic::metadata::Ascii>>,
}

/// A node that is connected.
pub(super) struct Node {
    channel: Channel,
    authorization: Option<MetadataValue<tonic::metadata::Ascii>>,
    requires_leader: bool,
    connection_name: Option<MetadataValue<tonic::metadata::Ascii>>,
}

impl Connector {
    pub(super) fn new(settings: &Settings) -> Result<Self, Problem> {
        let wrong = |text: String| Problem::new("connection_string", text);
        let string = ConnectionString::parse(settings.connection_string.expose()).map_err(wrong)?;
        let authorization = string.credentials.as_ref().map(|(user, password)| {
            let text = format!("Basic {}", STANDARD.encode(format!("{user}:{}", password.expose())));
            let mut value: MetadataValue<_> =
                text.parse().map_err(|_| wrong("has a user that cannot be sent".into()))?;
            value.set_sensitive(true);
            Ok::<_, Problem>(value)
        });
        let tls = if string.tls { Some(tls::config(&string).map_err(wrong)?) } else { None };
        Ok(Self { authorization: authorization.transpose()?, tls, string })
    }

    /// The node to read from, or the leader that another one has named.
    pub(super) async fn connect(&self, leader: Option<Endpoint>) -> Result<Node, Error> {
        let endpoint = match leader {
            Some(leader) => leader,
            None if self.string.discover => self.discover().await?,
            None => self.string.endpoints[0].clone(),
        };
        self.node(&endpoint).await
    }

    async fn node(&self, endpoint: &Endpoint) -> Result<Node, Error> {
        let place = format!("{}:{}", endpoint.host, endpoint.port);
        let failed = |error: tonic::transport::Error| {
            let why = crate::error::full_text(&error);
            match tls::remedy(&why) {
                Some(remedy) => Error::new(format_args!("{place}: {remedy} ({why})")),
                None => Error::new(format_args!("{place}: {why}")),
            }
        };
        let channel = self.target(&place).map_err(failed)?.connect().await.map_err(failed)?;
        Ok(Node {
            channel,
            authorization: self.authorization.clone(),
            requires_leader: self.string.preference == NodePreference::Leader,
            connection_name: self.string.connection_name.as_deref().and_then(|name| name.parse().ok()),
        })
    }

    fn target(&self, place: &str) -> Result<Target, tonic::transport::Error> {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let target = Target::from_shared(format!("{scheme}://{place}"))?
            .connect_timeout(CONNECT_TIMEOUT)
            .keep_alive_timeout(self.string.keep_alive_timeout)
            .keep_alive_while_idle(true)
            .tcp_nodelay(true);
        let target = match self.string.keep_alive_interval {
            Some(interval) => target.http2_keep_alive_interval(interval),
            None => target,
        };
        match &self.tls {
            Some(tls) => target.tls_config(tls.clone()),
            None => Ok(target),
        }
    }

    /// Asks one node after another who is in the cluster, and chooses.
    async fn discover(&self) -> Result<Endpoint, Error> {
        let mut last = Error::new("the cluster has no nodes");
        for seed in &self.string.endpoints {
            match tokio::time::timeout(self.string.gossip_timeout, self.gossip(seed)).await {
                Ok(Ok(members)) => match choose(&members, self.string.preference) {
                    Some(endpoint) => return Ok(endpoint),
                    None => last = Error::new("no node of the cluster is the one that nodePreference asks for"),
                },
                Ok(Err(error)) => last = error,
                Err(_) => last = Error::new(format_args!("{}:{} says nothing of the cluster", seed.host, seed.port)),
            }
        }
        Err(last)
    }

    async fn gossip(&self, seed: &Endpoint) -> Result<Vec<MemberInfo>, Error> {
        let node = self.node(seed).await?;
        let asked = node.request(Empty {});
        let mut grpc = node.grpc();
        let failed = |status: Status| super::status::error(&status);
        ready(&mut grpc).await.map_err(failed)?;
        let codec: ProstCodec<Empty, ClusterInfo> = ProstCodec::default();
        let answer = grpc.unary(asked, PathAndQuery::from_static(gossip::READ), codec).await;
        Ok(answer.map_err(failed)?.into_inner().members)
    }
}

impl Node {
    /// A request as this node takes it.
    pub(super) fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let metadata = request.metadata_mut();
        let requires_leader = if self.requires_leader { "true" } else { "false" };
        metadata.insert("requires-leader", MetadataValue::from_static(requires_leader));
        if let Some(authorization) = &self.authorization {
            metadata.insert("authorization", authorization.clone());
        }
        if let Some(name) = &self.connection_name {
            metadata.insert("connection-name", name.clone());
        }
        request
    }

    pub(super) fn grpc(&self) -> Grpc<Channel> {
        Grpc::new(self.channel.clone()).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }
}

/// Waits until the channel takes a request.
pub(super) async fn ready(grpc: &mut Grpc<Channel>) -> Result<(), Status> {
    grpc.ready().await.map_err(|error| Status::unavailable(crate::error::full_text(&error)))
}

/// The first that is alive, in the order of preference. `Random` takes what comes: the members have no order.
fn choose(members: &[MemberInfo], preference: NodePreference) -> Option<Endpoint> {
    use NodeState::{Follower, Leader, PreReadOnlyReplica, ReadOnlyLeaderless, ReadOnlyReplica};
    let wanted: &[&[NodeState]] = match preference {
        // Only a leader takes what asks for one.
        NodePreference::Leader => &[&[Leader]],
        NodePreference::Follower => &[&[Follower], &[Leader], &[ReadOnlyReplica]],
        NodePreference::ReadOnlyReplica => {
            &[&[ReadOnlyReplica], &[PreReadOnlyReplica, ReadOnlyLeaderless], &[Follower], &[Leader]]
        }
        NodePreference::Random => &[&[Leader, Follower, ReadOnlyReplica]],
    };
    let found = |states: &&[NodeState]| {
        let is_one = |member: &&MemberInfo| {
            member.is_alive && NodeState::try_from(member.state).is_ok_and(|state| states.contains(&state))
        };
        members.iter().find(is_one)?.http_end_point.as_ref()
    };
    let endpoint = wanted.iter().find_map(found)?;
    Some(Endpoint { host: endpoint.address.clone(), port: u16::try_from(endpoint.port).ok()? })
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.string.endpoints.iter().map(|at| format!("{}:{}", at.host, at.port))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::kurrentdb::protocol::gossip::EndPoint;

    fn member(port: u32, state: NodeState, is_alive: bool) -> MemberInfo {
        let http_end_point = Some(EndPoint { address: "node".into(), port });
        MemberInfo { state: state.into(), is_alive, http_end_point, ..MemberInfo::default() }
    }

    #[test]
    fn the_node_is_the_one_that_is_preferred_and_alive() {
        let members = [
            member(1, NodeState::Leader, false),
            member(2, NodeState::Follower, true),
            member(3, NodeState::Leader, true),
            member(4, NodeState::ReadOnlyReplica, true),
        ];
        let port = |preference| choose(&members, preference).map(|endpoint| endpoint.port);
        assert_eq!(port(NodePreference::Leader), Some(3));
        assert_eq!(port(NodePreference::Follower), Some(2));
        assert_eq!(port(NodePreference::ReadOnlyReplica), Some(4));
        assert_eq!(choose(&members[..2], NodePreference::Leader), None, "a dead leader is none");
    }
}
