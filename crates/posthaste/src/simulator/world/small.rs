//! A small world, run by a list of choices.

use uuid::Uuid;

use super::acts::Act;
use super::*;
use crate::message::{Message, MessageId};
use crate::simulator::choices::{Choices, Listed};
use crate::simulator::clients::timestamp;
use crate::simulator::exhaustive::SmallWorld;

impl World {
    pub(in crate::simulator) fn small(small: &SmallWorld, listed: Listed, planted: Option<Planted>) -> Self {
        let mut world = Self::of(small.plan(), Dice::Listed(Choices::of(listed)), planted);
        world.acts = Act::of(&world.plan);
        for node in 0..world.plan.workers {
            world.at(Duration::from_millis(3 * node as u64), node, Event::Start);
        }
        for (nth, written) in small.messages.iter().enumerate() {
            let at = Duration::from_millis(written.at);
            let mut builder = Message::builder(written.event_type, "order", written.key)
                .id(MessageId(Uuid::from_u128(nth as u128 + 1)))
                .tenant("a");
            if let Some(due) = written.due {
                builder = builder.due_at(timestamp(EPOCH + at + Duration::from_millis(due)));
            }
            let message = builder.build().unwrap_or_else(|_| unreachable!("small worlds have valid messages"));
            world.at(at, 0, Event::Commit(vec![message]));
        }
        for node in 0..world.plan.workers {
            world.at(world.plan.faults_end, node, Event::Start);
        }
        world.at(world.plan.faults_end, 0, Event::Drained);
        world
    }

    /// Runs it, and says what it was asked.
    pub(in crate::simulator) fn run_listed(mut self) -> (Outcome, Choices) {
        self.run_to_end();
        let choices = match &self.dice {
            Dice::Listed(choices) => choices.clone(),
            Dice::Drawn(_) => Choices::default(),
        };
        (self.outcome(), choices)
    }
}
