//! Small worlds, in which every schedule is tried: up to so many faults and interventions, at every place where they matter.
//!
//! The depth is how many of them a schedule has. At depth 2, a world with 300 places where something may go wrong has about
//! 50,000 schedules. Messages, workers and settings are so few that a mistake has hardly a place to hide.

use super::checks::Violation;
use super::choices::{Choices, Listed};
use super::planted::Planted;
use super::world::World;
pub use small::SmallWorld;

mod small;

/// What the exploration of one world came to.
#[derive(Debug, Clone, Default)]
pub struct Explored {
    /// Schedules that were run.
    pub schedules: u64,
    /// The most places in a schedule where something was asked.
    pub most_questions: u32,
    /// What went wrong, and in which schedule first.
    pub violations: Vec<(Violation, Listed)>,
}

impl Explored {
    /// Both together.
    pub fn add(&mut self, other: Self) {
        self.schedules += other.schedules;
        self.most_questions = self.most_questions.max(other.most_questions);
        self.violations.extend(other.violations);
    }
}

/// A walk through the schedules of one world.
#[derive(Debug, Clone, Copy)]
pub struct Exploration {
    /// Where.
    pub world: &'static SmallWorld,
    /// With at most so many faults and interventions.
    pub depth: usize,
    /// With this mistake in it.
    pub planted: Option<Planted>,
}

impl Exploration {
    /// Runs the schedule in which nothing happens, and names those right below it: parts that can be walked at the same time.
    pub fn begin(&self) -> (Explored, Vec<Listed>) {
        let mut explored = Explored::default();
        let choices = self.visit(Listed::default(), &mut explored);
        (explored, choices.below(self.depth).collect())
    }

    /// Runs a schedule and all below it, until something goes wrong.
    pub fn walk(&self, from: Listed) -> Explored {
        let mut explored = Explored::default();
        let mut left = vec![from];
        while let Some(listed) = left.pop() {
            let choices = self.visit(listed, &mut explored);
            if !explored.violations.is_empty() {
                break;
            }
            left.extend(choices.below(self.depth));
        }
        explored
    }

    /// Whether anything goes wrong in this world.
    pub fn finds(&self) -> bool {
        let (explored, parts) = self.begin();
        !explored.violations.is_empty() || parts.into_iter().any(|part| !self.walk(part).violations.is_empty())
    }

    fn visit(&self, listed: Listed, explored: &mut Explored) -> Choices {
        let (outcome, choices) = World::small(self.world, listed.clone(), self.planted).run_listed();
        explored.schedules += 1;
        explored.most_questions = explored.most_questions.max(choices.asked());
        explored.violations.extend(outcome.violations.into_iter().map(|violation| (violation, listed.clone())));
        choices
    }

    /// Runs one schedule and tells every step.
    pub fn trace(&self, listed: Listed, tell: Box<dyn FnMut(String)>) -> super::Outcome {
        let mut world = World::small(self.world, listed, self.planted);
        world.tell = Some(tell);
        world.run_listed().0
    }
}

/// Whether a mistake is found in one of the worlds with at most so many faults, and with how many; the shallow ones are tried first.
pub fn hunt(planted: Planted, depth: usize) -> Option<(&'static str, usize)> {
    (0..=depth).find_map(|at| {
        let finds = |world: &&'static SmallWorld| Exploration { world, depth: at, planted: Some(planted) }.finds();
        SmallWorld::ALL.iter().find(finds).map(|world| (world.name, at))
    })
}
