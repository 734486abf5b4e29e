//! The simulated destinations: they confirm, refuse, lose acknowledgements, are slow, and are sometimes not there.

use std::time::Duration;

use super::checks::{Checks, Spot};
use super::clients::{KILLER, POISON};
use super::dice::Dice;
use super::plan::{DEAD_LETTERS, Plan};
use crate::retry::Verdict;
use crate::sink::{Error, Outcome, Run};

/// What the runs of a hand-over came to, as far as the worker hears of it.
#[derive(Default)]
pub(super) struct Heard {
    /// By run; `None` if the worker gives up before there is an answer.
    pub(super) outcomes: Vec<Option<Outcome>>,
    pub(super) after: Duration,
}

impl Heard {
    /// The next run came to this; a worker waits for `timeout`.
    pub(super) fn add(&mut self, told: Option<(Outcome, Duration)>, timeout: Duration) {
        let told = told.filter(|(_, latency)| *latency < timeout);
        self.after = self.after.max(told.as_ref().map_or(timeout, |(_, latency)| *latency));
        self.outcomes.push(told.map(|(outcome, _)| outcome));
    }

    /// Of a sink that answers for all runs at the end, a worker that gives up hears nothing.
    pub(super) fn all_or_nothing(&mut self) {
        if self.outcomes.iter().any(Option::is_none) {
            self.outcomes.iter_mut().for_each(|outcome| *outcome = None);
        }
    }
}

/// What a run came to.
pub(super) enum Answer {
    /// The worker hears this after so long.
    Told(Outcome, Duration),
    /// The worker hears nothing and gives up by itself.
    Silence,
    /// The worker died of it.
    Death,
}

/// How a run fares. `arrived` is called for each message that really gets there.
pub(super) fn receive(
    run: &Run,
    plan: &Plan,
    down: bool,
    calm: bool,
    dice: &mut Dice,
    checks: &mut Checks,
    mut arrived: impl FnMut(&mut Checks, usize),
) -> Answer {
    let latency = if !calm && dice.percent(plan.slow) { dice.millis(50, 400) } else { dice.millis(1, 8) };
    if down {
        return Answer::Told(Outcome::stopped(0, Error::unreachable("down")), latency);
    }
    for (n, delivery) in run.deliveries.iter().enumerate() {
        let spot: Spot = (run.destination.clone(), delivery.position);
        let fail = |checks: &mut Checks, verdict| {
            *checks.failures.entry(spot.clone()).or_default() += u32::from(verdict == Verdict::Retry);
            Answer::Told(Outcome::stopped(n, Error::new(verdict, "no")), latency)
        };
        match delivery.message.event_type.as_str() {
            // Whatever it did elsewhere, its letter is harmless.
            _ if run.destination.as_str() == DEAD_LETTERS => {}
            KILLER => {
                checks.killed(spot);
                return Answer::Death;
            }
            POISON => {
                checks.rejected.insert(spot.clone());
                return fail(checks, Verdict::Reject);
            }
            _ => {}
        }
        if !calm && dice.percent(plan.nack) {
            // One that wants no more needs someone who resumes it.
            let gone = plan.operator_actions > 0 && dice.percent(10);
            return fail(checks, if gone { Verdict::Gone } else { Verdict::Retry });
        }
        arrived(checks, n);
        if !calm && dice.percent(plan.lost_ack) {
            checks.lost_acks.insert(spot.clone());
            return match dice.below(3) {
                0 => fail(checks, Verdict::Retry),
                1 => fail(checks, Verdict::Unreachable),
                _ => Answer::Silence,
            };
        }
    }
    Answer::Told(Outcome::delivered(run), latency)
}
