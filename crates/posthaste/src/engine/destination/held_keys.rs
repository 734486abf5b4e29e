//! Reading what waits behind held keys.
//!
//! ```text
//!   ReadKey ── batch ──► Commit (empty) ──not refused──► the lane takes them
//!      │ failed             │ refused or failed
//!      └────────────────────┴──► asked again
//! ```
//! The store leaves out of its answer what is parked on its own. Whoever has taken the partition over may have parked the key's
//! next message, and the one behind it would overtake it. An empty commit after the read finds out: it is refused like any other
//! once the lease is gone.

use std::time::Duration;

use super::requests::KeyRead;
use super::{DestinationRequest, DestinationState, Heard, LaneId, Pass};
use crate::engine::mistakes::Mistake;
use crate::engine::outbox::Pending;
use crate::engine::protocol::StoreCall;
use crate::journal::{Batch, LaneCommit};
use crate::rules::route;

impl DestinationState {
    /// Reads on behind held keys whose head is settled, as far as there is room.
    pub(super) fn read_held_keys(&mut self, pass: &mut Pass<'_>) {
        for lane in self.lanes.iter_mut().filter(|lane| !lane.draining) {
            while self.reader.has_room_for_waiting(lane)
                && let Some(queue) = lane.notices.keys_to_read.pop()
            {
                let Some(held) = lane.key_to_read(queue) else { continue };
                let call = StoreCall::ReadKey {
                    destination: self.dest.name.clone(),
                    partition: lane.id.partition,
                    held: held.clone(),
                    limit: self.dest.max_run,
                };
                let read = KeyRead { lane: lane.id, queue, held, commits: self.committer.answer_awaited() };
                pass.outbox.request(call, Pending::Of(self.index, DestinationRequest::ReadKey(read)));
            }
        }
    }

    /// What waits behind a held key was read: is the lease still held?
    pub(super) fn fence_key(&mut self, read: KeyRead, batch: Batch, heard: &mut Heard<'_>) {
        if self.mistakes.has(Mistake::HeldReadUnfenced) {
            return self.key_read(&read, batch);
        }
        let LaneId { partition, epoch } = read.lane;
        let fence = LaneCommit::nothing(self.dest.name.clone(), partition, epoch);
        let request = DestinationRequest::FenceKey { read, batch };
        heard.outbox.request(StoreCall::Commit(vec![fence]), Pending::Of(self.index, request));
    }

    /// What waits behind a held key is known.
    pub(super) fn key_read(&mut self, read: &KeyRead, batch: Batch) {
        self.committer.answer_came();
        let Some(lane) = self.lanes.get_mut(read.lane) else { return };
        let careless = self.mistakes.has(Mistake::HeldReachIgnored);
        let (dest, upto) = (&self.dest, if careless { read.held.until } else { batch.upto });
        let routed = batch.entries.into_iter().filter_map(|entry| {
            let unfit = route::admission(dest, &entry.message).unfit()?;
            Some((entry, unfit))
        });
        lane.take_waiting(read.queue, upto, routed, read.commits);
    }

    /// What waits behind a held key is not known.
    pub(super) fn key_not_read(&mut self, now: Duration, read: &KeyRead) {
        self.committer.answer_came();
        if let Some(lane) = self.lanes.get_mut(read.lane) {
            self.reader.wait_before_retry(now);
            lane.waiting_not_read(read.queue);
        }
    }
}
