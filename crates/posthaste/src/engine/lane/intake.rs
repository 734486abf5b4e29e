//! What comes into a lane: entries of the walk, what waited behind a held key, parked deliveries that fell due.

use std::time::Duration;

use super::{Aside, Dirt, Guard, Lane, LineId};
use crate::engine::lane::key_queue::{Item, Origin};
use crate::engine::mistakes::Mistake;
use crate::journal::{Due, Entry, HeldKey, ParkedState, Position};

/// How many messages of a key that has caught up may wait in memory.
const CAUGHT_UP_QUEUE: usize = 200;

impl Lane {
    /// Takes an entry of the walk that the destination's route accepts.
    pub(in crate::engine) fn walked(&mut self, entry: Entry) {
        let position = entry.position;
        if position <= self.slots.read_to() || !self.slots.open(position) {
            return;
        }
        let line = self.lines.for_key(entry.message.order_key());
        let scheduled = entry.due_in.filter(|_| !self.mistakes.has(Mistake::ScheduleIgnored));
        if let Some(due_in) = scheduled {
            self.schedule(line, entry, due_in);
        } else if self.lines[line].hold.is_some() {
            self.join_held(line, entry);
        } else if self.is_suspect(position) {
            let item = Item::new(entry, Origin::Walked);
            self.count(&item);
            self.suspect(line, &item);
        } else {
            self.admit(line, Item::new(entry, Origin::Walked));
            self.announce(line);
        }
    }

    /// The walk has shown everything up to here.
    pub(in crate::engine) fn walked_to(&mut self, upto: Position) {
        let low = self.slots.low();
        self.slots.read_up_to(upto);
        self.freed |= std::mem::take(&mut self.postponed);
        if self.slots.low() != low {
            self.dirt = self.dirt.max(Dirt::Passed);
        }
    }

    /// A message whose time has not come steps out of its key's order: it holds nobody.
    fn schedule(&mut self, line: LineId, entry: Entry, due_in: Duration) {
        let position = entry.position;
        let item = Item::new(entry, Origin::Loose);
        let aside = Aside { state: ParkedState::Scheduled, due_in: Some(due_in), failure: None };
        self.park(&item, aside, false);
        self.slots.settle(position);
        self.dirt = Dirt::Settled;
        self.lines.tidy(line);
    }

    /// A message behind a held one waits too: it costs no memory, only the hold grows.
    fn join_held(&mut self, line: LineId, entry: Entry) {
        let position = entry.position;
        self.slots.settle(position);
        self.dirt = Dirt::Settled;
        let target = &mut self.lines[line];
        let Some(hold) = target.hold.as_mut().filter(|_| !self.mistakes.has(Mistake::HoldNotExtended)) else { return };
        // A key that has caught up takes new messages from the walk, so that a hot key is not read twice for ever.
        let has_room = target.queue.len() < CAUGHT_UP_QUEUE;
        let caught_up = !hold.head && !hold.reading && hold.loaded_to == hold.until && has_room;
        hold.until = position;
        if caught_up {
            hold.loaded_to = position;
            self.admit(line, Item::new(entry, Origin::Held));
            self.announce(line);
        }
        self.record_hold(line);
    }

    /// The guard counts down; a message that could have been in flight when the worker before died is a suspect.
    fn is_suspect(&mut self, position: Position) -> bool {
        let Some(guard) = &mut self.guard else { return false };
        let suspect = position <= guard.until && guard.messages > 0;
        *guard = Guard { messages: guard.messages.saturating_sub(1), ..*guard };
        suspect
    }

    /// The guard ends when the lane is past what could have been in flight and every due delivery was looked at.
    pub(in crate::engine) fn end_guard_if_past(&mut self) {
        let read_past = |guard: Guard| guard.messages == 0 || self.slots.read_to() >= guard.until;
        let past = self.guard.is_some_and(|guard| guard.due_seen && read_past(guard));
        if past && self.parked_in_memory.is_empty() && self.changes.is_empty() && self.committing.is_none() {
            self.guard = None;
        }
    }

    /// What to ask the store for: the messages that wait behind a held key. The answer goes to [`Lane::held_read`].
    pub(in crate::engine) fn key_to_read(&self, line: LineId) -> Option<HeldKey> {
        let line = self.lines.get(line)?;
        let hold = line.hold.as_ref().filter(|hold| hold.reading)?;
        Some(HeldKey { key: line.key.clone()?, after: hold.loaded_to, until: hold.until })
    }

    /// Takes what waits behind a held key up to `upto`.
    pub(in crate::engine) fn held_read(&mut self, line: LineId, upto: Position, entries: Vec<Entry>, asked_at: u64) {
        let Some(hold) = self.lines.get_mut(line).and_then(|line| line.hold.as_mut()) else { return };
        hold.reading = false;
        hold.loaded_to = upto;
        // What the walk passed as due stays due, also if the store's clock has jumped back since.
        for entry in entries {
            if !self.is_touched(entry.position, asked_at) {
                self.admit(line, Item::new(entry, Origin::Held));
            }
        }
        self.go_on(line);
    }

    /// The store could not be asked; ask again.
    pub(in crate::engine) fn held_read_failed(&mut self, line: LineId) {
        let Some(target) = self.lines.get_mut(line) else { return };
        if let Some(hold) = &mut target.hold {
            hold.reading = false;
        }
        self.go_on(line);
    }

    /// Everything that was due when the store was asked has been taken.
    pub(in crate::engine) fn due_seen(&mut self) {
        if let Some(guard) = &mut self.guard {
            guard.due_seen = true;
        }
    }

    /// Takes a parked delivery whose time has come. `asked_at` is the number of commits known when it was asked for.
    pub(in crate::engine) fn due(&mut self, due: Due, asked_at: u64) {
        let position = due.entry.position;
        if self.parked_in_memory.contains(&position) || self.is_touched(position, asked_at) {
            return;
        }
        // Right after opening, a message of its key from before may not have been read again. To go ahead of it would leave
        // a gap in what a hold of that key spans.
        if !due.holds && position > self.slots.read_to() {
            self.postponed = true;
            return;
        }
        let line = self.lines.for_key(due.entry.message.order_key());
        let state = due.state;
        let mut item = Item::parked(due);
        let held = self.lines[line].hold.is_some();
        match item.origin {
            Origin::Loose if held => return,
            Origin::Head if !held => item.origin = Origin::Loose,
            _ => {}
        }
        if state == ParkedState::Discarding {
            self.count(&item);
            self.let_go(line, &item);
            self.go_on(line);
        } else {
            self.admit(line, item);
            self.announce(line);
        }
    }

    fn admit(&mut self, line: LineId, item: Item) {
        self.count(&item);
        self.lines[line].queue.push_back(item);
    }

    /// Whether an answer that was asked for at commit `asked_at` may be out of date about this position.
    fn is_touched(&self, position: Position, asked_at: u64) -> bool {
        let touched = match self.touched.get(&position) {
            Some(Some(told_at)) => *told_at > asked_at,
            Some(None) => true,
            None => false,
        };
        touched && !self.mistakes.has(Mistake::StaleDueBelieved)
    }
}
