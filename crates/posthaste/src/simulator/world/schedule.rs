//! When workers start, transactions begin and faults happen, as the plan says.

use super::*;

impl World {
    pub(super) fn schedule_everything(&mut self) {
        let latest = self.plan.faults_end.as_millis() as u64 - 200;
        for node in 0..self.plan.workers {
            let at = self.dice.millis(0, 300);
            self.at(at, node, Event::Start);
        }
        for _ in 0..self.plan.transactions {
            let at = self.dice.millis(0, latest - 800);
            self.at(at, 0, Event::Begin);
        }
        let counts = [
            (self.plan.crashes, 0),
            (self.plan.freezes, 1),
            (self.plan.clock_jumps, 2),
            (self.plan.graceful_stops, 3),
            (self.plan.operator_actions, 4),
            (self.plan.outages, 5),
        ];
        for (count, kind) in counts {
            for _ in 0..count {
                let at = self.dice.millis(50, latest);
                let node = self.dice.below(self.plan.workers as u64) as usize;
                let event = match kind {
                    0 => Event::Crash,
                    1 => Event::Freeze(self.dice.millis(100, 2_500)),
                    2 => Event::ClockJump(self.plan.draw_jump(&mut self.dice)),
                    3 => Event::Stop,
                    4 => Event::Operate,
                    _ => {
                        let destination = self.dice.below(self.plan.destinations.len() as u64) as usize;
                        Event::Outage { destination, until: at + self.dice.millis(100, 1_500) }
                    }
                };
                self.at(at, node, event);
            }
        }
        for _ in 0..self.plan.failovers {
            let at = self.dice.millis(500, latest);
            let behind = self.dice.millis(0, 400);
            let node = self.dice.below(self.plan.workers as u64) as usize;
            self.at(at - behind, node, Event::Replicate);
            self.at(at, node, Event::FailOver);
        }
        for node in 0..self.plan.workers {
            self.at(self.plan.faults_end, node, Event::Start);
        }
        self.at(self.plan.faults_end, 0, Event::Drained);
    }
}
