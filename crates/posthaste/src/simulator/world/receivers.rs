//! Receivers that say later what became of what they were handed: mostly that it is done, sometimes that it failed, twice, late or never.

use super::*;
use crate::inspect::{Refusal, Says, Settled};
use crate::message::MessageId;

/// A receiver that is told that nothing waits for its answer asks again so often.
const MOST_TRIES: u32 = 6;

/// What a receiver says, and about what.
#[derive(Debug, Clone)]
pub(in crate::simulator) struct Callback {
    pub(in crate::simulator) spot: Spot,
    message: MessageId,
    hand_over: String,
    says: Says,
    tries: u32,
}

impl World {
    /// A message has arrived: its receiver will say what became of it, or not.
    pub(super) fn received(&mut self, destination: usize, run: &Run, arrived: &[usize]) {
        let Some(timeout) = self.plan.destinations[destination].callback_timeout else { return };
        for delivery in arrived.iter().map(|nth| &run.deliveries[*nth]) {
            let Some(hand_over) = delivery.hand_over.clone() else { continue };
            let spot = (run.destination.clone(), delivery.position);
            let callback = Callback { spot, message: delivery.message.id, hand_over, says: Says::Sent, tries: 0 };
            let after = self.dice.millis(1, 60);
            if !self.calm() && self.dice.percent(self.plan.odd_answers) {
                self.answer_oddly(callback, after, timeout);
            } else {
                self.at(self.now + after, 0, Event::Settle(callback));
            }
        }
    }

    fn answer_oddly(&mut self, callback: Callback, after: Duration, timeout: Duration) {
        let failed = |retry| Callback { says: Says::Failed { retry, reason: "no".into() }, ..callback.clone() };
        let soon = self.now + after;
        match self.dice.below(5) {
            // Never.
            0 => {}
            1 => self.at(soon + timeout, 0, Event::Settle(callback)),
            2 => self.at(soon, 0, Event::Settle(failed(true))),
            3 => self.at(soon, 0, Event::Settle(failed(false))),
            _ => {
                self.at(soon, 0, Event::Settle(failed(true)));
                self.at(soon + timeout / 2, 0, Event::Settle(failed(true)));
            }
        }
    }

    /// An answer reaches the store.
    pub(super) fn settle(&mut self, callback: Callback) {
        let Callback { spot, message, hand_over, says, tries } = callback.clone();
        let awaited = self.store.core.awaited(&spot.0, spot.1);
        let Ok(settled) = self.store.settle(message, &spot.0, &hand_over, &says) else { return };
        match settled {
            Settled::Taken => {
                let asked = awaited.is_some_and(|awaited| awaited.hand_over() == hand_over);
                self.checks.answered(spot, &says, asked);
            }
            Settled::Refused(Refusal::NotAwaited) if tries < MOST_TRIES => {
                let again = Callback { tries: tries + 1, ..callback };
                let at = self.now + self.dice.millis(20, 60);
                self.at(at, 0, Event::Settle(again));
            }
            Settled::Repeated | Settled::Refused(_) => {}
        }
    }
}
