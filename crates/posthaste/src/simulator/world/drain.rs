//! The end of a schedule: faults are over, everything must come to rest, and what came to rest must be right.

use super::*;
use crate::inspect::Status;

impl World {
    pub(super) fn look_whether_drained(&mut self) {
        for name in &self.names {
            drop(self.store.core.resume(name));
            clients::resume_tenants(name, &mut self.store.core);
        }
        self.restless = self.find_restless();
        if self.restless.is_some() {
            let at = self.now + Duration::from_millis(50);
            return self.at(at, 0, Event::Drained);
        }
        self.done = true;
        self.checks.letters(&self.store.letters());
        for (name, position, status) in self.store.core.statuses() {
            let spot: Spot = (name.clone(), position);
            if status == Status::Delivered && !self.checks.has_arrived(&spot) {
                self.checks.violated(Violation::Lost);
            }
            if status == Status::Delivered && self.plan.has_callbacks(name) && !self.checks.is_answered(&spot) {
                self.checks.violated(Violation::Unanswered);
            }
        }
    }

    /// A delivery that has not come to rest. What kept everyone waiting the last time mostly does so still, so that the others need not be
    /// looked at.
    fn find_restless(&self) -> Option<Spot> {
        let core = &self.store.core;
        let is_restless = |name: &Name, position, status| !self.is_at_rest(name, position, status);
        let as_before = self.restless.clone().filter(|(name, position)| {
            core.status(name, *position).is_some_and(|status| is_restless(name, *position, status))
        });
        as_before.or_else(|| {
            let mut all = core.statuses();
            let (name, position, _) = all.find(|(name, position, status)| is_restless(name, *position, *status))?;
            Some((name.clone(), position))
        })
    }

    fn is_at_rest(&self, name: &Name, position: Position, status: Status) -> bool {
        match status {
            Status::Delivered | Status::Dead | Status::Discarded => true,
            // Behind a dead message that blocks its key, also what was scheduled or replayed waits for a person.
            _ => self.store.core.head_status(name, position) == Some(Status::Dead),
        }
    }
}
