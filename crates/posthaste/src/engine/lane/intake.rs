//! What comes into a lane: entries of the journal, and parked deliveries that fell due.

use std::time::Duration;

use super::key_queue::{Place, QueuedMessage};
use super::unsaved::CursorChange;
use super::{Lane, Parking, QueueId};
use crate::engine::mistakes::Mistake;
use crate::journal::{Due, Entry, ParkedState, Position};
use crate::rules::route::Admission;

/// How many messages of a key that has caught up may wait in memory.
const CAUGHT_UP_QUEUE: usize = 200;

impl Lane {
    /// Takes an entry of the journal that the destination's route accepts. `unfit` says why its filter cannot be asked about it.
    pub(in crate::engine) fn take_entry(&mut self, entry: Entry, unfit: Option<String>) {
        let position = entry.position;
        if position <= self.cursor.read_to() || !self.cursor.open(position) {
            return;
        }
        let queue = self.queues.for_key(entry.message.order_key());
        let scheduled = entry.due_in.filter(|_| !self.mistakes.has(Mistake::ScheduleIgnored));
        if let Some(due_in) = scheduled {
            self.schedule(queue, entry, due_in);
        } else if self.queues[queue].hold.is_some() {
            self.join_held(queue, entry, unfit);
        } else if self.guard.suspects_read(position) {
            let message = QueuedMessage::new(entry, Place::Cursor);
            self.memory.add(&message);
            self.park_suspect(queue, &message);
        } else {
            self.admit(queue, QueuedMessage::new(entry, Place::Cursor).unfit(unfit));
            self.announce(queue);
        }
    }

    /// Everything up to here was taken.
    pub(in crate::engine) fn taken_up_to(&mut self, upto: Position) {
        let low = self.cursor.low();
        self.cursor.read_up_to(upto);
        self.notices.freed |= std::mem::take(&mut self.notices.postponed);
        if self.cursor.low() != low {
            self.unsaved.cursor = self.unsaved.cursor.max(CursorChange::Passed);
        }
        self.end_guard_if_past();
    }

    /// A message whose time has not come steps out of its key's order: it holds nobody.
    fn schedule(&mut self, queue: QueueId, entry: Entry, due_in: Duration) {
        let message = QueuedMessage::new(entry, Place::Apart);
        let parking = Parking { state: ParkedState::Scheduled, due_in: Some(due_in), failure: None };
        self.write_park(&message, parking, false);
        self.cursor.settle(message.position);
        self.unsaved.settled();
        self.queues.forget_if_spent(queue);
    }

    /// A message behind a held one waits too: it costs no memory, only the hold grows.
    fn join_held(&mut self, queue: QueueId, entry: Entry, unfit: Option<String>) {
        let position = entry.position;
        self.cursor.settle(position);
        self.unsaved.settled();
        let target = &mut self.queues[queue];
        let Some(hold) = target.hold.as_mut().filter(|_| !self.mistakes.has(Mistake::HoldNotExtended)) else { return };
        // A key that has caught up takes new messages as they are read, so that a busy key is not read twice for ever.
        let has_room = target.messages.len() < CAUGHT_UP_QUEUE;
        let caught_up = !hold.has_head && !hold.reading && hold.loaded_to == hold.until && has_room;
        hold.until = position;
        if caught_up {
            hold.loaded_to = position;
            self.admit(queue, QueuedMessage::new(entry, Place::HeldKey).unfit(unfit));
            self.announce(queue);
        }
        self.write_hold(queue);
    }

    /// Takes a parked delivery whose time has come. `commits` is the number of commits known when it was asked for,
    /// `admission` what the destination's filter says now.
    pub(in crate::engine) fn take_due(&mut self, due: Due, commits: u64, admission: Admission) {
        let position = due.entry.position;
        if self.memory.has_parked(position) || self.is_touched(position, commits) {
            return;
        }
        // Right after opening, a message of its key from before may not have been read again. To go ahead of it would leave
        // a gap in what a hold of that key spans.
        if !due.holds && position > self.cursor.read_to() {
            self.notices.postponed = true;
            return;
        }
        let queue = self.queues.for_key(due.entry.message.order_key());
        let state = due.state;
        let unfit = admission.unfit();
        let left_out = unfit.is_none();
        let mut message = QueuedMessage::parked(due).unfit(unfit.flatten());
        match (message.place, &self.queues[queue].hold) {
            (Place::Apart, Some(_)) => return,
            // The store went on from an earlier state. To settle this head once more would free the key of the one that it has now.
            (Place::Head, Some(hold)) if position <= hold.after => return,
            (Place::Head, None) => message.place = Place::Apart,
            _ => {}
        }
        if left_out && state != ParkedState::Discarding {
            return self.leave_out(queue, &message);
        }
        self.admit_due(queue, message, state);
    }

    /// The destination's filter, which may be another one since it was parked, leaves a delivery out: its key goes on without it.
    fn leave_out(&mut self, queue: QueueId, message: &QueuedMessage) {
        self.guard.clear(message.position);
        self.unsaved.unpark(message.position);
        if message.place == Place::Head {
            self.settle_held(queue, message.position);
        }
        self.go_on(queue);
    }

    fn admit_due(&mut self, queue: QueueId, message: QueuedMessage, state: ParkedState) {
        if state == ParkedState::Discarding {
            self.discard(queue, &message);
            self.go_on(queue);
        } else {
            self.admit(queue, message);
            self.announce(queue);
        }
    }

    /// Everything that was due when the store was asked has been taken.
    pub(in crate::engine) fn due_seen(&mut self) {
        self.guard.due_seen();
    }

    /// Someone discarded a delivery: its key goes on without it.
    fn discard(&mut self, queue: QueueId, message: &QueuedMessage) {
        self.guard.clear(message.position);
        self.unsaved.discard(message.position);
        if message.place == Place::Head {
            self.settle_held(queue, message.position);
        }
    }

    pub(super) fn admit(&mut self, queue: QueueId, message: QueuedMessage) {
        self.memory.add(&message);
        self.queues[queue].messages.push_back(message);
    }

    /// Whether an answer that was asked for after `commits` commits may be out of date about this position.
    pub(super) fn is_touched(&self, position: Position, commits: u64) -> bool {
        self.unsaved.is_touched(position, commits) && !self.mistakes.has(Mistake::StaleDueBelieved)
    }

    /// Ends the crash-loop guard when the lane is past what could have been in flight and every due delivery was taken.
    pub(super) fn end_guard_if_past(&mut self) {
        let at_rest = || self.memory.parked() == 0 && self.unsaved.is_at_rest();
        self.guard.end_if_past(self.cursor.read_to(), at_rest);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::destination::Destination;
    use crate::engine::lane::InFlightBefore;
    use crate::engine::mistakes::Mistakes;
    use crate::journal::{Cursor, HeldKey, LaneState, Lease};
    use crate::message::Message;

    fn head(seq: u64) -> Due {
        let message = Message::builder("order.created", "order", "1").build().expect("a message");
        let entry = Entry {
            position: Position::seq(seq),
            partition: Default::default(),
            message: Arc::new(message),
            due_in: None,
        };
        Due { entry, state: ParkedState::Retrying, holds: true, attempts: 1, suspicion: 0, progress: None }
    }

    /// A lane whose key has settled its message at 21 and has a parked one at 22.
    fn lane() -> Lane {
        let key = head(21).entry.message.order_key().expect("a key");
        let held = HeldKey { key, after: Position::seq(21), until: Position::seq(22) };
        let cursor = Cursor { low: Position::seq(22), done: Vec::new() };
        let state = LaneState { cursor, held: vec![(held, true)], ..LaneState::default() };
        let lease = Lease { partition: Default::default(), epoch: Default::default(), expired_before: false };
        let before = InFlightBefore { until: Position::START, messages: 1, messages_per_key: 1 };
        Lane::open(&Destination::new("a"), lease, state, before, Mistakes::NONE)
    }

    #[test]
    fn a_settled_head_is_not_taken_again_from_a_store_that_went_back() {
        let mut lane = lane();
        lane.take_due(head(21), 0, Admission::Taken);
        assert_eq!(lane.memory.messages, 0);
        lane.take_due(head(22), 0, Admission::Taken);
        assert_eq!(lane.memory.messages, 1);
    }
}
