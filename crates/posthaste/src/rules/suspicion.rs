//! How far a message is suspected of killing workers, and what follows from it.
//!
//! After a worker died, everything it may have had in flight is suspected. A suspect is tried together with the other suspects
//! first, and each attempt is noted in the store *before* it is made. If the worker dies again, those that were under way go
//! alone, one at a time. Only a message that was alone each time, several times in a row, is dead: whatever kills workers from
//! outside would have to meet the same message every time. Between two lone attempts it rests, longer each time, so that deaths
//! that come in a row (a rolling restart, a machine without memory) end before its next attempt.
//!
//! One attempt that the worker survives clears the message of everything.
//!
//! ```text
//!   unsuspected ─note─► in company (1) ─died─► alone (2) ─died─► rests (3) ─► alone (4) ─died─► rests (5) ─► … ─died─► dead
//! ```

use std::time::Duration;

/// How far a message is suspected, as stores keep it: 0 before any noted attempt, 1 after one in company, then two for each lone
/// attempt, which is even while the attempt is under way and odd once the death of its worker was noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Suspicion(u32);

/// What a suspect has to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// It may be tried beside other suspects, once the attempt is noted.
    InCompany,
    /// It may be tried while no other suspect is under way, once the attempt is noted.
    Alone,
    /// Its worker died during a lone attempt: it rests before the next one.
    Rest,
    /// It killed as many workers as are allowed.
    Dead,
}

impl Suspicion {
    /// As a store keeps it.
    pub(crate) fn stored(code: u32) -> Self {
        Self(code)
    }

    /// For a store to keep.
    pub(crate) fn code(self) -> u32 {
        self.0
    }

    /// Whether any attempt was noted.
    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Workers in a row that died while this message was alone in flight.
    pub(crate) fn deaths_alone(self) -> u32 {
        self.0 / 2
    }

    /// What is to be done with a suspect that is not in flight.
    pub(crate) fn next(self, max_worker_deaths: u32) -> Next {
        match self.0 {
            0 => Next::InCompany,
            code if code % 2 == 1 => Next::Alone,
            _ if self.deaths_alone() >= max_worker_deaths => Next::Dead,
            _ => Next::Rest,
        }
    }

    /// The next step is taken: an attempt is noted, or the death that ended it.
    pub(crate) fn step(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// An attempt that was noted is not made.
    pub(crate) fn step_back(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// How long a suspect rests after its worker died.
    pub(crate) fn rest(self, lease_ttl: Duration) -> Duration {
        let times = 4u32.saturating_pow(self.deaths_alone().saturating_sub(1)).min(MOST_LEASES);
        lease_ttl.saturating_mul(times).min(LONGEST_REST.max(lease_ttl))
    }
}

const LONGEST_REST: Duration = Duration::from_secs(600);
/// The longest rest in leases. Its key waits for as long, and the message may be innocent.
const MOST_LEASES: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    /// What happens to a message whose worker dies during every attempt.
    fn life_of_a_killer(max_worker_deaths: u32) -> Vec<Next> {
        let mut suspicion = Suspicion::default();
        let mut life = Vec::new();
        loop {
            let next = suspicion.next(max_worker_deaths);
            life.push(next);
            if next == Next::Dead {
                return life;
            }
            suspicion = suspicion.step();
        }
    }

    #[test]
    fn a_killer_is_dead_after_as_many_lone_deaths_as_allowed_and_rests_between_them() {
        use Next::{Alone, Dead, InCompany, Rest};
        assert_eq!(life_of_a_killer(1), [InCompany, Alone, Dead]);
        assert_eq!(life_of_a_killer(3), [InCompany, Alone, Rest, Alone, Rest, Alone, Dead]);
    }

    #[test]
    fn an_attempt_that_is_not_made_leaves_no_trace() {
        for code in 0..8 {
            let suspicion = Suspicion::stored(code);
            assert_eq!(suspicion.step().step_back(), suspicion);
        }
    }

    #[test]
    fn rests_grow_and_end() {
        let ttl = Duration::from_secs(15);
        let rests: Vec<u64> = [2, 4, 6, 8, 60].map(|code| Suspicion::stored(code).rest(ttl).as_secs()).into();
        assert_eq!(rests, [15, 60, 240, 240, 240]);
        let long = Duration::from_secs(3_600);
        assert_eq!(Suspicion::stored(2).rest(long), long, "never shorter than a lease");
        assert_eq!(Suspicion::stored(6).rest(ttl * 4), Duration::from_secs(600), "and not for ever");
    }
}
