//! Persistent subscriptions: the server keeps what was acknowledged, and sends the rest again to the next who comes.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tokio::sync::mpsc;
use tonic::{Status, Streaming};
use uuid::Uuid;

use super::Shared;
use super::log::{kind, name};
use crate::sources::kurrentdb::protocol;
use crate::sources::kurrentdb::protocol::persistent::{
    NackAction, ReadEvent, ReadOptions, ReadReq, ReadResp, Request, Response, StreamOption,
};
use crate::sources::kurrentdb::protocol::streams::SubscriptionConfirmation;

type Key = (Option<String>, String);

/// All of them, by stream and name.
#[derive(Debug, Default)]
pub(super) struct Groups(HashMap<Key, Group>);

#[derive(Debug, Default)]
struct Group {
    /// Places in the log that need not be sent again.
    done: BTreeSet<usize>,
    acknowledged: usize,
    parked: Vec<Uuid>,
}

impl Groups {
    pub(super) fn create(&mut self, stream: Option<&str>, group: &str) {
        self.0.entry((stream.map(str::to_owned), group.to_owned())).or_default();
    }

    pub(super) fn settled(&self, stream: Option<&str>, group: &str) -> (usize, Vec<Uuid>) {
        let group = self.0.get(&(stream.map(str::to_owned), group.to_owned()));
        group.map(|group| (group.acknowledged, group.parked.clone())).unwrap_or_default()
    }
}

/// One connection to a group.
pub(super) struct Connection {
    shared: Arc<Shared>,
    key: Key,
    buffer: usize,
    /// What was sent and not answered: the place in the log, by id.
    sent: HashMap<String, usize>,
    next: usize,
    outgoing: mpsc::Sender<Result<ReadResp, Status>>,
}

impl Connection {
    pub(super) fn new(
        shared: Arc<Shared>,
        options: &ReadOptions,
        outgoing: mpsc::Sender<Result<ReadResp, Status>>,
    ) -> Result<Self, Status> {
        let stream = match &options.stream {
            Some(StreamOption::Stream(stream)) => Some(stream.text()),
            _ => None,
        };
        let key = (stream, options.group_name.clone());
        if !shared.state().groups.0.contains_key(&key) {
            return Err(Status::not_found("Persistent subscription does not exist."));
        }
        let buffer = usize::try_from(options.buffer_size).unwrap_or(1);
        Ok(Self { shared, key, buffer, sent: HashMap::new(), next: 0, outgoing })
    }

    /// Serves until the client is gone.
    pub(super) async fn serve(mut self, mut requests: Streaming<ReadReq>) -> Option<()> {
        let confirmation = SubscriptionConfirmation { subscription_id: "1".into() };
        self.send(Response::Confirmation(confirmation)).await?;
        let mut length = self.shared.length.subscribe();
        loop {
            while self.sent.len() < self.buffer {
                let Some(event) = self.take() else { break };
                self.send(Response::Event(event)).await?;
            }
            let next = self.next;
            tokio::select! {
                request = requests.message() => self.hear(request.ok()??),
                more = length.wait_for(|length| *length > next), if self.sent.len() < self.buffer => drop(more.ok()?),
            }
        }
    }

    /// The next event that is not done.
    fn take(&mut self) -> Option<ReadEvent> {
        let shared = Arc::clone(&self.shared);
        let state = shared.state();
        loop {
            let entry = state.log.get(self.next)?;
            let at = self.next;
            self.next += 1;
            let is_wanted = match &self.key.0 {
                Some(stream) => name(entry) == *stream,
                None => !kind(entry).starts_with('$'),
            };
            let is_done = state.groups.0.get(&self.key).is_some_and(|group| group.done.contains(&at));
            if is_wanted && !is_done {
                self.sent.insert(entry.id.as_ref().map(protocol::Uuid::text).unwrap_or_default(), at);
                let read = state.log.read(at, true);
                let (event, link, commit_position) = (read.event, read.link, read.commit_position);
                return Some(ReadEvent { event, link, commit_position, retry_count: None });
            }
        }
    }

    fn hear(&mut self, request: ReadReq) {
        let (ids, parks, is_ack) = match request.content {
            Some(Request::Ack(ack)) => (ack.ids, false, true),
            Some(Request::Nack(nack)) => (nack.ids, nack.action == i32::from(NackAction::Park), false),
            _ => return,
        };
        let mut state = self.shared.state();
        let Some(group) = state.groups.0.get_mut(&self.key) else { return };
        for id in ids.iter().map(protocol::Uuid::text) {
            let Some(at) = self.sent.remove(&id) else { continue };
            group.done.insert(at);
            group.acknowledged += usize::from(is_ack);
            group.parked.extend(id.parse::<Uuid>().ok().filter(|_| parks));
        }
    }

    async fn send(&self, content: Response) -> Option<()> {
        self.outgoing.send(Ok(ReadResp { content: Some(content) })).await.ok()
    }
}
