//! A filtered subscription to `$all`.

use std::fmt;

use async_trait::async_trait;
use futures_util::FutureExt;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::{Status, Streaming};
use tonic_prost::ProstCodec;

use super::connection::{Node, ready};
use super::protocol::streams::{
    self, AllOptions, Content, Expression, FilterBy, FilterOptions, Filtering, Position, ReadEvent, ReadFrom,
    ReadOptions, ReadReq, ReadResp,
};
use super::protocol::{Empty, UuidOption};
use super::settings::{Filter, Settings, Start};
use super::{event, position, status};
use crate::source::{Batch, Error, Reading};

/// The server's own events, which nobody asked for.
const NOT_OF_THE_SYSTEM: &str = "^[^\\$].*";

/// A subscription that the server has confirmed.
pub(super) struct AllReading {
    messages: Streaming<ReadResp>,
    /// Whether the server has said that there is no more for now. Older ones never say.
    at_end: Option<bool>,
}

impl AllReading {
    pub(super) async fn open(settings: &Settings, node: Node, after: Option<Position>) -> Result<Self, Status> {
        let mut grpc = node.grpc();
        ready(&mut grpc).await?;
        let codec: ProstCodec<ReadReq, ReadResp> = ProstCodec::default();
        let request = node.request(ReadReq { options: Some(options(settings, after)) });
        let answer = grpc.server_streaming(request, PathAndQuery::from_static(streams::READ), codec).await?;
        let mut messages = answer.into_inner();
        // Who is not the leader says so in place of this.
        match messages.message().await?.and_then(|message| message.content) {
            Some(Content::Confirmation(_)) => Ok(Self { messages, at_end: None }),
            _ => Err(Status::unknown("the server did not confirm the subscription")),
        }
    }

    /// Takes one message in.
    fn take(&mut self, message: ReadResp, batch: &mut Batch) {
        match message.content {
            Some(Content::Event(read)) => take_event(read, batch),
            // Often repeated, and at times that of an event that came already.
            Some(Content::Checkpoint(at)) => batch.beyond = Some(position::checkpoint(at)),
            Some(Content::CaughtUp(_)) => self.at_end = Some(true),
            Some(Content::FellBehind(_)) => self.at_end = Some(false),
            Some(Content::Confirmation(_) | Content::StreamNotFound(_)) | None => {}
        }
    }
}

fn take_event(read: ReadEvent, batch: &mut Batch) {
    // The place is that of the link, where the event stands elsewhere.
    let Some(at) = read.link.as_ref().or(read.event.as_ref()) else { return };
    let at = Position { commit_position: at.commit_position, prepare_position: at.prepare_position };
    let checkpoint = position::checkpoint(at);
    match event::event(read.event, checkpoint.clone()) {
        Some(event) => {
            batch.events.push(event);
            batch.beyond = None;
        }
        // A link to an event that was deleted.
        None => batch.beyond = Some(checkpoint),
    }
}

#[async_trait]
impl Reading for AllReading {
    async fn next(&mut self, limit: usize) -> Result<Batch, Error> {
        let mut batch = Batch::default();
        // Nothing is taken before the first await, and nothing is awaited after it, so that nothing is lost with this future.
        let mut next = Some(self.messages.message().await);
        while let Some(message) = next.take() {
            match message {
                Ok(Some(message)) => self.take(message, &mut batch),
                Ok(None) if batch.events.is_empty() => return Err(Error::new("the server has ended the subscription")),
                Err(status) if batch.events.is_empty() => return Err(status::error(&status)),
                // What came before it is good; the next call meets it again.
                Ok(None) | Err(_) => break,
            }
            if batch.events.len() < limit {
                next = self.messages.message().now_or_never();
            }
        }
        batch.at_end = self.at_end;
        Ok(batch)
    }
}

fn options(settings: &Settings, after: Option<Position>) -> ReadOptions {
    let from = match (after, settings.start) {
        (Some(after), _) => ReadFrom::Position(after),
        (None, Start::Beginning) => ReadFrom::Start(Empty {}),
        (None, Start::End) => ReadFrom::End(Empty {}),
    };
    ReadOptions {
        all: Some(AllOptions { from: Some(from) }),
        read_direction: 0,
        resolve_links: settings.resolve_links,
        subscription: Some(Empty {}),
        filtering: Some(Filtering::Filter(filter(&settings.filter, settings.checkpoint_every))),
        uuid_option: Some(UuidOption::TEXT),
    }
}

/// The server looks at 32 events at a time, and says how far it got after so many of those.
fn filter(filter: &Filter, checkpoint_every: u32) -> FilterOptions {
    let prefixed = |prefix: &Vec<String>| Expression { regex: String::new(), prefix: prefix.clone() };
    let matching = |regex: &str| Expression { regex: regex.into(), prefix: Vec::new() };
    let by = match filter {
        Filter { event_type_regex: Some(regex), .. } => FilterBy::EventType(matching(regex)),
        Filter { stream_regex: Some(regex), .. } => FilterBy::Stream(matching(regex)),
        Filter { stream_prefix, .. } if !stream_prefix.is_empty() => FilterBy::Stream(prefixed(stream_prefix)),
        Filter { event_type_prefix, .. } if !event_type_prefix.is_empty() => {
            FilterBy::EventType(prefixed(event_type_prefix))
        }
        _ => FilterBy::EventType(matching(NOT_OF_THE_SYSTEM)),
    };
    const WINDOW: u32 = 32;
    let multiplier = checkpoint_every.div_ceil(WINDOW).max(1);
    FilterOptions { by: Some(by), max: Some(WINDOW), count: None, checkpoint_interval_multiplier: multiplier }
}

impl fmt::Debug for AllReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AllReading").field("at_end", &self.at_end).finish_non_exhaustive()
    }
}
