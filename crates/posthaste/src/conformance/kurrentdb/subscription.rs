//! A filtered subscription to `$all`, as real servers serve it.

use std::sync::Arc;

use tokio::sync::mpsc;
use tonic::Status;

use super::Shared;
use super::log::matches;
use crate::sources::kurrentdb::protocol::Empty;
use crate::sources::kurrentdb::protocol::streams::{
    Content, FilterOptions, Filtering, Position, ReadFrom, ReadOptions, ReadResp, SubscriptionConfirmation,
};

/// Where the messages go. Bounded: a client that reads slowly slows the server.
type Outgoing = mpsc::Sender<Result<ReadResp, Status>>;

pub(super) struct Subscription {
    shared: Arc<Shared>,
    filter: FilterOptions,
    resolve_links: bool,
    outgoing: Outgoing,
}

impl Subscription {
    /// Checks what is asked.
    pub(super) fn new(shared: Arc<Shared>, options: &ReadOptions, outgoing: Outgoing) -> Result<Self, Status> {
        let filter = match &options.filtering {
            Some(Filtering::Filter(filter)) => filter.clone(),
            _ => return Err(Status::invalid_argument("the stand-in wants a filter")),
        };
        if filter.checkpoint_interval_multiplier == 0 || options.uuid_option.is_none() {
            return Err(Status::unknown("Exception was thrown by handler."));
        }
        Ok(Self { shared, filter, resolve_links: options.resolve_links, outgoing })
    }

    /// Serves until the client is gone.
    pub(super) async fn serve(self, from: Option<ReadFrom>) -> Option<()> {
        self.send(Content::Confirmation(SubscriptionConfirmation { subscription_id: "1".into() })).await?;
        let mut at = {
            let state = self.shared.state();
            match from {
                Some(ReadFrom::Position(position)) => state.log.after(position.commit_position),
                Some(ReadFrom::End(_)) => state.log.len(),
                _ => 0,
            }
        };
        at = self.catch_up(at).await?;
        let mut length = self.shared.length.subscribe();
        loop {
            at = self.live(at).await?;
            length.wait_for(|length| *length > at).await.ok()?;
        }
    }

    /// Events, and a checkpoint after so many that were looked at; one more at the end, and once more before going live.
    async fn catch_up(&self, from: usize) -> Option<usize> {
        let interval = self.filter.max.unwrap_or(32) as usize * self.filter.checkpoint_interval_multiplier as usize;
        let (mut at, mut looked_at) = (from, 0);
        while let Some((content, position)) = self.look(at) {
            self.maybe(content).await?;
            (at, looked_at) = (at + 1, looked_at + 1);
            if looked_at % interval == 0 {
                // While it catches up, the server says nothing of the prepare.
                self.send(Content::Checkpoint(Position { prepare_position: 0, ..position })).await?;
            }
        }
        if let Some((_, position)) = at.checked_sub(1).filter(|last| *last >= from).and_then(|last| self.look(last)) {
            self.send(Content::Checkpoint(Position { prepare_position: 0, ..position })).await?;
            self.send(Content::Checkpoint(position)).await?;
        }
        self.send(Content::CaughtUp(Empty {})).await?;
        Some(at)
    }

    /// What is there, with a checkpoint after every foreign event.
    async fn live(&self, from: usize) -> Option<usize> {
        let mut at = from;
        while let Some((content, position)) = self.look(at) {
            if self.maybe(content).await? {
                self.send(Content::Checkpoint(position)).await?;
            }
            at += 1;
        }
        Some(at)
    }

    /// The event at a place, if it matches, and its position.
    fn look(&self, at: usize) -> Option<(Option<Content>, Position)> {
        let state = self.shared.state();
        let entry = state.log.get(at)?;
        let (commit_position, prepare_position) = (entry.commit_position, entry.prepare_position);
        let is_wanted = matches(&self.filter, entry);
        let content = is_wanted.then(|| Content::Event(state.log.read(at, self.resolve_links)));
        Some((content, Position { commit_position, prepare_position }))
    }

    /// Whether there was nothing to send.
    async fn maybe(&self, content: Option<Content>) -> Option<bool> {
        match content {
            Some(content) => self.send(content).await.map(|()| false),
            None => Some(true),
        }
    }

    async fn send(&self, content: Content) -> Option<()> {
        self.outgoing.send(Ok(ReadResp { content: Some(content) })).await.ok()
    }
}
