//! What becomes of a delivery: settled, set aside, or taken back.

use std::time::Duration;

use super::{Aside, Dirt, Lane, LineId};
use crate::engine::lane::key_queue::{Hold, Item, Origin, Vouching};
use crate::engine::mistakes::Mistake;
use crate::journal::{Attempt, HeldKey, Park, ParkedState, Position};
use crate::retry::OnDead;

impl Lane {
    /// The first `confirmed` in flight were delivered. Returns the one after them, which was not, if there is one.
    pub(in crate::engine) fn confirm(&mut self, line: LineId, confirmed: usize, took: Duration) -> Option<Item> {
        for _ in 0..confirmed {
            let item = self.pop_in_flight(line)?;
            self.done(line, &item, took);
        }
        self.clear_suspicion(line);
        let mut failed = self.pop_in_flight(line)?;
        self.suspected.remove(&failed.position);
        self.exonerate(&mut failed);
        Some(failed)
    }

    fn pop_in_flight(&mut self, line: LineId) -> Option<Item> {
        let target = &mut self.lines[line];
        target.in_flight = target.in_flight.checked_sub(1)?;
        target.queue.pop_front()
    }

    /// The worker lived to see the outcome, so this message kills nobody. The store hears of it at once: an outage may keep
    /// the message in memory until a worker dies for another reason.
    fn exonerate(&mut self, item: &mut Item) {
        if std::mem::take(&mut item.kills) > 0 {
            let aside = Aside { state: ParkedState::Retrying, due_in: Some(Duration::ZERO), failure: None };
            self.park(item, aside, item.origin == Origin::Head);
        }
    }

    pub(super) fn clear_suspicion(&mut self, line: LineId) {
        self.lines[line].vouching = Vouching::NotNeeded;
        self.suspects.remove(&line);
    }

    /// Nothing is left in flight; on to what comes next.
    pub(in crate::engine) fn carry_on(&mut self, line: LineId) {
        self.go_on(line);
    }

    /// Nothing is held against what was in flight, of which `first` was the first; it goes again later.
    pub(in crate::engine) fn take_back(&mut self, line: LineId, first: Item) {
        let target = &mut self.lines[line];
        target.queue.push_front(first);
        target.in_flight = 0;
        self.go_on(line);
    }

    /// Gives up everything that is in flight, because nobody waits for the answers any more.
    pub(in crate::engine) fn abandon(&mut self) {
        self.lines.iter_mut().for_each(|line| line.in_flight = 0);
        self.call_off_suspects();
    }

    /// A delivery is settled: confirmed after `took`.
    pub(super) fn done(&mut self, line: LineId, item: &Item, took: Duration) {
        match item.origin {
            Origin::Walked => {
                self.slots.settle(item.position);
                self.dirt = Dirt::Settled;
            }
            Origin::Held => self.hold_settled(line, item.position),
            Origin::Head => {
                self.unpark(item.position);
                self.hold_settled(line, item.position);
            }
            Origin::Loose => self.unpark(item.position),
        }
        if item.is_parked() {
            self.suspected.remove(&item.position);
            let number = item.attempts + 1;
            self.changes.attempt(Attempt { position: item.position, number, error: None, took });
        }
        self.forget(item);
    }

    /// Someone discarded a delivery: its key goes on without it.
    pub(super) fn let_go(&mut self, line: LineId, item: &Item) {
        self.suspected.remove(&item.position);
        self.touched.insert(item.position, None);
        self.changes.let_go(item.position);
        if item.origin == Origin::Head {
            self.hold_settled(line, item.position);
        }
        self.forget(item);
    }

    /// A delivery failed. What was in flight behind it goes back into the queue.
    pub(in crate::engine) fn fail(&mut self, line: LineId, item: &Item, aside: Aside) {
        self.lines[line].in_flight = 0;
        self.set_aside(line, item, aside);
    }

    /// A delivery failed, or may not go now.
    pub(super) fn set_aside(&mut self, line: LineId, item: &Item, aside: Aside) {
        let dead = aside.state == ParkedState::Dead;
        let lets_go = dead && (self.on_dead == OnDead::Skip || self.mistakes.has(Mistake::DeadUnblocksKey));
        let ordered = self.lines[line].key.is_some() && item.origin != Origin::Loose;
        let holds = ordered && !lets_go && !self.mistakes.has(Mistake::RetryOvertaken);
        self.park(item, aside, holds);
        self.forget(item);
        match item.origin {
            Origin::Walked => {
                self.slots.settle(item.position);
                self.dirt = Dirt::Settled;
            }
            Origin::Held | Origin::Head if !holds => self.hold_settled(line, item.position),
            _ => {}
        }
        if holds {
            self.hold_behind(line, item.position);
        } else if lets_go && ordered {
            self.lines[line].vouching = Vouching::DeathAwaited;
            self.vouching.push(line);
        }
        self.go_on(line);
    }

    /// Everything of the key from `position` on waits; what is in memory of it is let go.
    fn hold_behind(&mut self, line: LineId, position: Position) {
        self.call_off_vouching(line);
        let target = &mut self.lines[line];
        let queue = target.queue.split_off(target.in_flight);
        let mut until = position;
        for item in &queue {
            if item.origin == Origin::Walked {
                self.slots.settle(item.position);
                until = item.position;
            }
            self.forget(item);
        }
        let suspects = self.suspects_per_key();
        let target = &mut self.lines[line];
        self.held_keys += usize::from(target.hold.is_none());
        let hold = target.hold.get_or_insert_with(|| Hold::starting_at(position, suspects));
        hold.head = true;
        hold.loaded_to = position;
        hold.until = hold.until.max(until);
        self.record_hold(line);
    }

    /// Nothing more is handed over: what was counted ahead of deliveries is taken back.
    pub(in crate::engine) fn call_off_suspects(&mut self) {
        let lines: Vec<LineId> = self.suspects.keys().copied().collect();
        lines.into_iter().for_each(|line| self.call_off_vouching(line));
    }

    /// What was counted ahead of a delivery that is not made now is taken back.
    fn call_off_vouching(&mut self, line: LineId) {
        let target = &mut self.lines[line];
        if !matches!(target.vouching, Vouching::Awaited | Vouching::Granted) || target.in_flight > 0 {
            return;
        }
        if let Some(first) = target.queue.front_mut() {
            first.kills = first.kills.saturating_sub(1);
            let item = first.clone();
            let aside = Aside { state: ParkedState::Retrying, due_in: Some(Duration::ZERO), failure: None };
            self.park(&item, aside, item.origin == Origin::Head);
        }
        self.clear_suspicion(line);
    }

    fn hold_settled(&mut self, line: LineId, position: Position) {
        if let Some(hold) = &mut self.lines[line].hold {
            hold.after = hold.after.max(position);
            hold.loaded_to = hold.loaded_to.max(position);
            hold.head = false;
            self.record_hold(line);
        }
    }

    pub(super) fn record_hold(&mut self, line: LineId) {
        let target = &self.lines[line];
        if let (Some(key), Some(hold)) = (&target.key, &target.hold) {
            self.changes.hold(HeldKey { key: key.clone(), after: hold.after, until: hold.until });
        }
    }

    pub(super) fn park(&mut self, item: &Item, aside: Aside, holds: bool) {
        let (error, progress) = match aside.failure {
            Some(failure) => {
                let (number, took) = (item.attempts.max(1), failure.took);
                let error = Some(failure.error.text().to_owned());
                self.changes.attempt(Attempt { position: item.position, number, error, took });
                // A sink that was cut off could say nothing about progress; what it said before still holds.
                (Some(failure.error.brief().to_owned()), failure.progress.or_else(|| item.progress().cloned()))
            }
            None => (None, item.progress().cloned()),
        };
        self.touched.insert(item.position, None);
        if self.mistakes.has(Mistake::ParkNotWritten) {
            return;
        }
        self.changes.park(Park {
            position: item.position,
            message: item.message.id,
            key: item.message.order_key(),
            state: aside.state,
            holds,
            attempts: item.attempts,
            kills: item.kills,
            due_in: aside.due_in,
            error,
            progress,
        });
    }

    fn unpark(&mut self, position: Position) {
        self.touched.insert(position, None);
        self.changes.unpark(position);
    }
}
