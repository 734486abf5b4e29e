//! What a lane hands over next.
//!
//! The crash-loop guard lives here. After a worker died, whatever may have been in flight is parked as a suspect and its
//! attempts are counted in the store *before* they are made. The first death is not counted (the normal path pays nothing),
//! the second and third are; then the message is dead. A suspect that was counted before goes alone, without any other
//! suspect beside it, so that a bystander does not share the blame.

use std::time::Duration;

use super::{Aside, Failure, Lane, LineId};
use crate::engine::lane::key_queue::{Item, Origin, Vouching};
use crate::engine::mistakes::Mistake;
use crate::journal::ParkedState;
use crate::message::Message;
use crate::sink::{self, Delivery};

/// Deaths that are counted before a message is dead; with the first, uncounted one it killed three workers.
const COUNTED_KILLS: u32 = 2;

/// What serving a line came to.
#[derive(Debug)]
pub(in crate::engine) enum Taken {
    /// Hand these over.
    Run(Vec<Delivery>),
    /// Other suspects are under way; ask again when they are back.
    AfterSuspects,
    /// Nothing to hand over now; the lane has taken note why.
    Nothing,
    /// The message killed too many workers.
    Killer(Box<Item>),
}

/// Suspects that are being counted or in flight, over all lanes of a worker.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::engine) struct Suspects {
    pub(in crate::engine) any: bool,
    /// One that was counted before and must be alone.
    pub(in crate::engine) lone: bool,
}

/// What the walk knows and a lane does not.
pub(in crate::engine) struct Terms<'a> {
    pub(in crate::engine) now: Duration,
    pub(in crate::engine) max_run: usize,
    pub(in crate::engine) suspects: &'a mut Suspects,
    /// Charges the tenant's rate: how long the message has to wait for its turn.
    pub(in crate::engine) charge: &'a mut dyn FnMut(&Message) -> Duration,
}

impl Lane {
    /// Takes the next run of a line, if it may go.
    pub(in crate::engine) fn take_run(&mut self, line: LineId, terms: &mut Terms<'_>) -> Taken {
        let Some(target) = self.lines.get_mut(line) else { return Taken::Nothing };
        target.ready = false;
        if self.draining || (!target.is_servable() && !self.mistakes.has(Mistake::TwoRunsPerKey)) {
            self.lines.tidy(line);
            return Taken::Nothing;
        }
        if self.suspects_held(line) {
            return Taken::Nothing;
        }
        match self.vouch(line, terms) {
            Some(taken) => taken,
            None => self.collect(line, terms),
        }
    }

    /// The suspects of this lane.
    pub(in crate::engine) fn suspects(&self) -> Suspects {
        Suspects { any: !self.suspects.is_empty(), lone: self.suspects.values().any(|lone| *lone) }
    }

    /// Puts a line that could not be served back in the queue of ready ones.
    pub(in crate::engine) fn still_ready(&mut self, line: LineId) {
        if let Some(target) = self.lines.get_mut(line) {
            target.ready = true;
        }
    }

    /// A key that was catching up when the worker before died: its next messages are suspects too, and are parked as such.
    fn suspects_held(&mut self, line: LineId) -> bool {
        let target = &mut self.lines[line];
        let Some(hold) = target.hold.as_mut().filter(|hold| hold.suspects > 0) else { return false };
        let Some(item) = target.queue.pop_front_if(|item| item.origin == Origin::Held) else { return false };
        hold.suspects -= 1;
        self.suspect(line, &item);
        true
    }

    /// Sets a message aside that may have killed the worker before. The messages of a key are set aside one after another, so
    /// it stays a suspect although the guard may have ended by the time it is due.
    pub(super) fn suspect(&mut self, line: LineId, item: &Item) {
        self.suspected.insert(item.position);
        self.set_aside(line, item, Aside { state: ParkedState::Retrying, due_in: Some(Duration::ZERO), failure: None });
    }

    /// Sees to it that a suspect's attempt is counted first. `None` when the line may be served.
    fn vouch(&mut self, line: LineId, terms: &mut Terms<'_>) -> Option<Taken> {
        let guarded = self.guard.is_some();
        let target = &mut self.lines[line];
        let first = target.queue.front_mut()?;
        let suspected = guarded || first.kills > 0 || self.suspected.contains(&first.position);
        let suspect = first.is_parked() && suspected;
        if !suspect || target.vouching == Vouching::Granted {
            return None;
        }
        if first.kills >= COUNTED_KILLS {
            return target.queue.pop_front().map(|item| Taken::Killer(Box::new(item)));
        }
        let lone = first.kills > 0;
        if terms.suspects.lone || (lone && terms.suspects.any) {
            return Some(Taken::AfterSuspects);
        }
        *terms.suspects = Suspects { any: true, lone };
        self.suspects.insert(line, lone);
        first.kills += 1;
        target.vouching = Vouching::Awaited;
        let item = first.clone();
        self.vouching.push(line);
        let aside = Aside { state: ParkedState::Retrying, due_in: Some(Duration::ZERO), failure: None };
        self.park(&item, aside, item.origin == Origin::Head);
        Some(Taken::Nothing)
    }

    fn collect(&mut self, line: LineId, terms: &mut Terms<'_>) -> Taken {
        let suspect = self.lines[line].vouching == Vouching::Granted;
        let max_run = if suspect { 1 } else { terms.max_run };
        let mut deliveries = Vec::with_capacity(max_run.min(self.lines[line].queue.len()));
        while deliveries.len() < max_run {
            let target = &mut self.lines[line];
            let Some(item) = target.queue.get_mut(target.in_flight) else { break };
            // A delivery out of its key's order goes by itself.
            let loose = item.origin == Origin::Loose;
            if loose && !deliveries.is_empty() {
                break;
            }
            let turn = *item.reserved.get_or_insert_with(|| terms.now + (terms.charge)(&item.message));
            if turn > terms.now {
                if deliveries.is_empty() {
                    self.throttle(line, turn - terms.now);
                }
                break;
            }
            deliveries.push(delivery(item));
            target.in_flight += 1;
            if loose {
                break;
            }
        }
        if deliveries.is_empty() {
            return Taken::Nothing;
        }
        if self.mistakes.has(Mistake::MarkBeforePublish) {
            deliveries.iter().for_each(|delivery| self.slots.settle(delivery.position));
        }
        Taken::Run(deliveries)
    }

    /// The tenant used up its rate: its message waits outside, and its key with it.
    fn throttle(&mut self, line: LineId, wait: Duration) {
        let vouched = self.lines[line].vouching == Vouching::Granted;
        let in_flight = self.lines[line].in_flight;
        let Some(mut item) = self.lines[line].queue.remove(in_flight) else { return };
        // Counted ahead of a delivery that is not made now.
        item.kills = item.kills.saturating_sub(u32::from(vouched));
        self.clear_suspicion(line);
        if self.mistakes.has(Mistake::ThrottledDropped) {
            self.done(line, &item, Duration::ZERO);
            return self.go_on(line);
        }
        let aside = Aside { state: ParkedState::Throttled, due_in: Some(wait), failure: None };
        self.set_aside(line, &item, aside);
    }

    /// Declares a message dead that took its worker down too often.
    pub(in crate::engine) fn bury_killer(&mut self, line: LineId, item: &Item) {
        let error = format!("the worker died {} times while delivering this message", item.kills + 1);
        let failure = Failure { error: sink::Error::reject(error), progress: None, took: Duration::ZERO };
        self.set_aside(line, item, Aside { state: ParkedState::Dead, due_in: None, failure: Some(failure) });
    }
}

fn delivery(item: &Item) -> Delivery {
    Delivery {
        message: item.message.clone(),
        position: item.position,
        attempt: item.attempts + 1,
        progress: item.progress().cloned(),
    }
}
