//! A persistent subscription: the server keeps its position, and is told of each event after the journal has committed it.

use std::fmt;

use async_trait::async_trait;
use futures_util::{FutureExt, stream};
use tokio::sync::mpsc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::{Status, Streaming};
use tonic_prost::ProstCodec;

use super::connection::{Node, ready};
use super::protocol::persistent::{
    self, Ack, Nack, NackAction, ReadOptions, ReadReq, ReadResp, Request, Response, StreamOption,
};
use super::protocol::{Empty, StreamIdentifier, Uuid, UuidOption};
use super::settings::{Persistent, Refused};
use super::{event, status};
use crate::source::{Batch, Checkpoint, Error, Event, Reading, Settled};

/// What waits to be sent to the server.
const OUTGOING: usize = 64;

/// Ids in one message to the server.
const IDS: usize = 500;

pub(super) struct PersistentReading {
    messages: Streaming<ReadResp>,
    outgoing: mpsc::Sender<ReadReq>,
    refused: NackAction,
}

impl PersistentReading {
    pub(super) async fn open(settings: &Persistent, node: Node) -> Result<Self, Status> {
        let mut grpc = node.grpc();
        ready(&mut grpc).await?;
        let (outgoing, requests) = mpsc::channel(OUTGOING);
        let _ = outgoing.send(request(Request::Options(options(settings)))).await;
        let requests = stream::unfold(requests, |mut requests| async move { Some((requests.recv().await?, requests)) });
        let codec: ProstCodec<ReadReq, ReadResp> = ProstCodec::default();
        let path = PathAndQuery::from_static(persistent::READ);
        let answer = grpc.streaming(node.request(requests), path, codec).await?;
        let mut messages = answer.into_inner();
        let refused = match settings.refused {
            Refused::Park => NackAction::Park,
            Refused::Skip => NackAction::Skip,
        };
        match messages.message().await?.and_then(|message| message.content) {
            Some(Response::Confirmation(_)) => Ok(Self { messages, outgoing, refused }),
            _ => Err(Status::unknown("the server did not confirm the subscription")),
        }
    }

    async fn tell(&self, content: Request) -> Result<(), Error> {
        let sent = self.outgoing.send(request(content)).await;
        sent.map_err(|_| Error::new("the server has ended the subscription"))
    }
}

/// The server is answered by the id that it has sent: that of the link, where there is one. It goes into the checkpoint, which the server
/// keeps itself.
fn take(message: ReadResp, batch: &mut Batch) {
    let Some(Response::Event(read)) = message.content else { return };
    let Some(sent) = read.link.as_ref().or(read.event.as_ref()) else { return };
    let id = sent.id.as_ref().map(Uuid::text).unwrap_or_default();
    let checkpoint = Checkpoint::stored(format!("{} {id}", sent.stream_revision));
    // A link to an event that was deleted has nothing for us, and is settled as it is.
    let found = event::event(read.event, checkpoint.clone()).or_else(|| event::event(read.link, checkpoint));
    batch.events.extend(found);
}

#[async_trait]
impl Reading for PersistentReading {
    async fn next(&mut self, limit: usize) -> Result<Batch, Error> {
        let mut batch = Batch::default();
        // As in a filtered subscription, nothing is lost with this future.
        let mut next = Some(self.messages.message().await);
        while let Some(message) = next.take() {
            match message {
                Ok(Some(message)) => take(message, &mut batch),
                Ok(None) if batch.events.is_empty() => return Err(Error::new("the server has ended the subscription")),
                Err(status) if batch.events.is_empty() => return Err(status::error(&status)),
                Ok(None) | Err(_) => break,
            }
            if batch.events.len() < limit {
                next = self.messages.message().now_or_never();
            }
        }
        Ok(batch)
    }

    fn wants_settled(&self) -> bool {
        true
    }

    async fn settled(&mut self, events: &[(Event, Settled)]) -> Result<(), Error> {
        for (which, is_refused) in [(Settled::Done, false), (Settled::Refused, true)] {
            let ids: Vec<Uuid> =
                events.iter().filter(|(_, how)| *how == which).filter_map(|(event, _)| id(event)).collect();
            for ids in ids.chunks(IDS).map(<[Uuid]>::to_vec) {
                let content = match is_refused {
                    false => Request::Ack(Ack { id: Vec::new(), ids }),
                    true => Request::Nack(Nack {
                        id: Vec::new(),
                        ids,
                        action: self.refused.into(),
                        reason: "nothing could be made of it".into(),
                    }),
                };
                self.tell(content).await?;
            }
        }
        Ok(())
    }
}

/// The id that the server has sent the event under.
fn id(event: &Event) -> Option<Uuid> {
    event.checkpoint.as_str().split_once(' ').map(|(_, id)| Uuid::new(id))
}

fn request(content: Request) -> ReadReq {
    ReadReq { content: Some(content) }
}

fn options(settings: &Persistent) -> ReadOptions {
    let stream = match &settings.stream {
        Some(stream) => StreamOption::Stream(StreamIdentifier::new(stream)),
        None => StreamOption::All(Empty {}),
    };
    ReadOptions {
        stream: Some(stream),
        group_name: settings.group.clone(),
        buffer_size: i32::try_from(settings.buffer).unwrap_or(i32::MAX),
        uuid_option: Some(UuidOption::TEXT),
    }
}

impl fmt::Debug for PersistentReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PersistentReading").field("refused", &self.refused).finish_non_exhaustive()
    }
}
