//! What befalls a small world, and before which events it is asked about.
//!
//! An act matters only by what it comes before. A worker's death is asked about before whatever the worker does to others; an
//! act on the store before each request that reaches it. In between it would be the same.

use super::*;

/// Something that happens to a world by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Crash,
    Freeze,
    Stop,
    ClockJump,
    Replicate,
    FailOver,
    Operate,
    Outage,
}

impl Act {
    /// How often each may happen, as the plan says.
    pub(super) fn of(plan: &Plan) -> Vec<(Self, usize)> {
        let counts = [
            (Self::Crash, plan.crashes),
            (Self::Freeze, plan.freezes),
            (Self::Stop, plan.graceful_stops),
            (Self::ClockJump, plan.clock_jumps),
            (Self::Replicate, plan.failovers),
            (Self::FailOver, plan.failovers),
            (Self::Operate, plan.operator_actions),
            (Self::Outage, plan.outages),
        ];
        counts.into_iter().filter(|(_, count)| *count > 0).collect()
    }
}

impl World {
    /// Asks for each act that is left whether it happens right before this event.
    pub(super) fn befall(&mut self, next: &Scheduled) {
        if self.calm() {
            return;
        }
        for nth in 0..self.acts.len() {
            let (act, left) = self.acts[nth];
            if left > 0 && self.matters(act, next) && self.dice.percent(1) {
                self.acts[nth].1 -= 1;
                let event = self.event_of(act, next);
                let (at, node) = (self.now, next.node);
                self.step(Scheduled { at, order: next.order, node, life: self.lives[node], event: Box::new(event) });
            }
        }
    }

    fn matters(&self, act: Act, next: &Scheduled) -> bool {
        let lives = self.nodes[next.node].is_some() && next.life == self.lives[next.node];
        let request = matches!(*next.event, Event::Request(_));
        let hand_over = matches!(*next.event, Event::HandOver(_));
        let answer = matches!(*next.event, Event::Answer(_));
        match act {
            Act::Crash => lives && (request || hand_over),
            Act::Freeze => lives && (hand_over || answer),
            Act::Stop => lives && (request || answer),
            Act::ClockJump | Act::Operate | Act::Replicate => request,
            Act::FailOver => request && self.store.has_replica(),
            Act::Outage => matches!(*next.event, Event::Arrive { .. }),
        }
    }

    fn event_of(&mut self, act: Act, next: &Scheduled) -> Event {
        match act {
            Act::Crash => Event::Crash,
            Act::Freeze => Event::Freeze(self.dice.millis(100, 2_500)),
            Act::Stop => Event::Stop,
            Act::ClockJump => Event::ClockJump(self.plan.draw_jump(&mut self.dice)),
            Act::Replicate => Event::Replicate,
            Act::FailOver => Event::FailOver,
            Act::Operate => Event::Operate,
            Act::Outage => {
                let destination = if let Event::Arrive { destination, .. } = *next.event { destination } else { 0 };
                Event::Outage { destination, until: self.now + self.dice.millis(100, 1_500) }
            }
        }
    }
}
