//! What the engine has said: actions that nobody has fetched yet, and requests that the store has not answered.

use foldhash::{HashMap, HashMapExt};

use super::destination::DestinationRequest;
use super::protocol::{Action, DestinationIndex, HandOverId, RequestId, StoreCall, StoreRequest};
use crate::journal::Lease;
use std::time::Duration;

/// What the engine remembers about a request to the store until the answer comes.
#[derive(Debug)]
pub(super) enum Pending {
    Lease {
        asked_at: Duration,
    },
    Renew {
        asked_at: Duration,
        leases: Vec<Lease>,
    },
    Release {
        leases: Vec<Lease>,
        leaving: bool,
    },
    Advance,
    Open {
        destination: DestinationIndex,
        leases: Vec<Lease>,
    },
    /// What a destination reads and records.
    Of(DestinationIndex, DestinationRequest),
    Pause,
    Purge,
}

/// What the engine has said.
#[derive(Debug)]
pub(super) struct Outbox {
    actions: Vec<Action>,
    pending: HashMap<RequestId, Pending>,
    next_request: RequestId,
    next_hand_over: HandOverId,
}

impl Outbox {
    /// Nothing said yet.
    pub(super) fn new() -> Self {
        Self { actions: Vec::new(), pending: HashMap::new(), next_request: 0, next_hand_over: 0 }
    }

    /// Asks the store.
    pub(super) fn request(&mut self, call: StoreCall, pending: Pending) {
        let id = self.next_request;
        self.next_request += 1;
        self.pending.insert(id, pending);
        self.actions.push(Action::Request(StoreRequest { id, call }));
    }

    /// The store answered: what the request was about.
    pub(super) fn answered(&mut self, id: RequestId) -> Option<Pending> {
        self.pending.remove(&id)
    }

    /// Has something done that is no request to the store.
    pub(super) fn push(&mut self, action: Action) {
        self.actions.push(action);
    }

    /// Calls hand-overs off.
    pub(super) fn cancel(&mut self, ids: Vec<HandOverId>) {
        if !ids.is_empty() {
            self.actions.push(Action::Cancel { ids });
        }
    }

    /// An id for a hand-over.
    pub(super) fn next_hand_over(&mut self) -> HandOverId {
        self.next_hand_over += 1;
        self.next_hand_over
    }

    /// Everything that was said since the last time.
    pub(super) fn take(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }
}
