//! The methods of a node.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use tokio::sync::mpsc;
use tonic::body::Body;
use tonic::codegen::{Service, http};
use tonic::metadata::MetadataMap;
use tonic::server::{Grpc, ServerStreamingService, StreamingService, UnaryService};
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

use super::persistent::Connection;
use super::subscription::Subscription;
use super::{Shared, State};
use crate::sources::kurrentdb::protocol::gossip::{self, ClusterInfo, EndPoint, MemberInfo};
use crate::sources::kurrentdb::protocol::{Empty, NodeState, persistent, streams};

/// Messages that a server has ready for a client.
const BUFFER: usize = 32;

type Answer<T> = Pin<Box<dyn Future<Output = Result<Response<T>, Status>> + Send>>;
type Messages<T> = BoxStream<'static, Result<T, Status>>;

/// One node.
#[derive(Debug, Clone)]
pub(super) struct NodeService {
    node: usize,
    shared: Arc<Shared>,
}

impl NodeService {
    pub(super) fn new(node: usize, shared: Arc<Shared>) -> Self {
        Self { node, shared }
    }

    /// Whether this node serves the request, or what it says instead.
    fn admit(&self, metadata: &MetadataMap) -> Result<(), Status> {
        let state = self.shared.state();
        if let Some(refusal) = &state.refusal {
            return Err(refusal.clone());
        }
        let wants_leader = metadata.get("requires-leader").is_some_and(|wanted| wanted == "true");
        if wants_leader && state.leader != self.node { Err(not_leader(&state)) } else { Ok(()) }
    }

    fn cluster(&self) -> ClusterInfo {
        let state = self.shared.state();
        let member = |(node, address): (usize, &std::net::SocketAddr)| MemberInfo {
            state: if node == state.leader { NodeState::Leader } else { NodeState::Follower }.into(),
            is_alive: state.alive[node],
            http_end_point: Some(EndPoint { address: address.ip().to_string(), port: address.port().into() }),
            ..MemberInfo::default()
        };
        ClusterInfo { members: state.addresses.iter().enumerate().map(member).collect() }
    }
}

fn not_leader(state: &State) -> Status {
    let mut status = Status::not_found("Leader info available");
    let leader = state.addresses[state.leader];
    let said = [
        ("exception", "not-leader".to_owned()),
        ("leader-endpoint-host", leader.ip().to_string()),
        ("leader-endpoint-port", leader.port().to_string()),
    ];
    for (name, value) in said {
        status.metadata_mut().insert(name, value.parse().expect("an address is a text"));
    }
    status
}

impl Service<http::Request<Body>> for NodeService {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let node = self.clone();
        Box::pin(async move {
            Ok(match request.uri().path() {
                streams::READ => Grpc::new(ProstCodec::default()).server_streaming(Streams(node), request).await,
                persistent::READ => Grpc::new(ProstCodec::default()).streaming(Persistent(node), request).await,
                gossip::READ => Grpc::new(ProstCodec::default()).unary(Gossip(node), request).await,
                _ => Status::unimplemented("Method is unimplemented.").into_http(),
            })
        })
    }
}

struct Streams(NodeService);

impl ServerStreamingService<streams::ReadReq> for Streams {
    type Response = streams::ReadResp;
    type ResponseStream = Messages<streams::ReadResp>;
    type Future = Answer<Self::ResponseStream>;

    fn call(&mut self, request: Request<streams::ReadReq>) -> Self::Future {
        let node = self.0.clone();
        Box::pin(async move {
            node.admit(request.metadata())?;
            let options = request.into_inner().options.unwrap_or_default();
            let (outgoing, messages) = mpsc::channel(BUFFER);
            let subscription = Subscription::new(node.shared, &options, outgoing)?;
            let from = options.all.and_then(|all| all.from);
            Ok(Response::new(served(subscription.serve(from), messages)))
        })
    }
}

struct Persistent(NodeService);

impl StreamingService<persistent::ReadReq> for Persistent {
    type Response = persistent::ReadResp;
    type ResponseStream = Messages<persistent::ReadResp>;
    type Future = Answer<Self::ResponseStream>;

    fn call(&mut self, request: Request<Streaming<persistent::ReadReq>>) -> Self::Future {
        let node = self.0.clone();
        Box::pin(async move {
            node.admit(request.metadata())?;
            let mut requests = request.into_inner();
            let Some(persistent::Request::Options(options)) = requests.message().await?.and_then(|one| one.content)
            else {
                return Err(Status::invalid_argument("the options come first"));
            };
            let (outgoing, messages) = mpsc::channel(BUFFER);
            let connection = Connection::new(node.shared, &options, outgoing)?;
            Ok(Response::new(served(connection.serve(requests), messages)))
        })
    }
}

struct Gossip(NodeService);

impl UnaryService<Empty> for Gossip {
    type Response = ClusterInfo;
    type Future = Answer<ClusterInfo>;

    fn call(&mut self, _: Request<Empty>) -> Self::Future {
        let node = self.0.clone();
        Box::pin(async move {
            let cluster = node.cluster();
            if cluster.members.len() == 1 {
                return std::future::pending().await;
            }
            Ok(Response::new(cluster))
        })
    }
}

/// The messages that a server sends, which works only while somebody wants them.
fn served<T: Send + 'static>(
    serving: impl Future<Output = Option<()>> + Send + 'static,
    messages: mpsc::Receiver<Result<T, Status>>,
) -> Messages<T> {
    let messages = stream::unfold(messages, |mut messages| async move { Some((messages.recv().await?, messages)) });
    let work = serving.into_stream().filter_map(|_| async { None });
    stream::select(messages, work).boxed()
}
