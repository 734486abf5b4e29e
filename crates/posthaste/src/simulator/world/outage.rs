//! One long outage with very many messages behind it, watched by the watcher that tells people.

use uuid::Uuid;

use super::*;
use crate::destination::{Destination, Route};
use crate::inspect::{Filter, Listed, Page};
use crate::message::{Message, MessageId};
use crate::notify::{Last, Notice, Settings, Watcher};

/// How long the destination is out of reach.
const HOUR: Duration = Duration::from_secs(3600);
/// How often the watcher looks.
const LOOK: Duration = Duration::from_secs(60);
/// When the watcher stops looking: after everything was told.
const WATCHED: Duration = Duration::from_secs(80 * 60);
/// Between two messages to the destination that is well.
const BESIDE: Duration = Duration::from_secs(60);

/// What an hour of outage came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The types of the notices that arrived, in order.
    pub notices: Vec<String>,
    /// When the last of the messages behind the outage arrived.
    pub caught_up: Duration,
    /// The longest that a message to another destination took meanwhile.
    pub slowest_beside: Duration,
    /// What went wrong; empty when the engine is right.
    pub violations: Vec<Violation>,
}

impl World {
    /// A world without any fault but the outage. `watched` says whether somebody is told.
    pub(in crate::simulator) fn with_outage(messages: usize, watched: bool) -> Self {
        let mut plan = Plan::calm(vec![
            Destination::new("app").route(Route::matching(["order.*"])),
            Destination::new("beside").route(Route::matching(["mail.*"])),
            Destination::new("ops").route(Route::named_only()),
        ]);
        (plan.faults_end, plan.give_up) = (WATCHED, WATCHED + HOUR);
        let mut world = Self::of(plan, Dice::new(1), None);
        world.watcher = watched.then(|| Watcher::new(Settings::new(vec!["ops".into()])));
        world.at(Duration::ZERO, 0, Event::Start);
        let second = Duration::from_secs(1);
        world.at(second, 0, Event::Outage { destination: 0, until: HOUR });
        let flood = (0..messages).map(|_| world.message("order.plain")).collect();
        world.at(second, 0, Event::Commit(flood));
        for n in 1..(HOUR.as_secs() / BESIDE.as_secs()) as u32 {
            let message = world.message("mail.plain");
            world.at(BESIDE * n, 0, Event::Commit(vec![message]));
        }
        for n in 1..(WATCHED.as_secs() / LOOK.as_secs()) as u32 {
            world.at(LOOK * n, 0, Event::Look);
        }
        world.at(WATCHED, 0, Event::Drained);
        world
    }

    /// Runs it to its end.
    pub(in crate::simulator) fn told(mut self) -> Told {
        let arrived = self.arrivals();
        let of = |name: &'static str| arrived.iter().filter(move |(run, ..)| run == name);
        Told {
            notices: of("ops").map(|(_, event_type, ..)| event_type.clone()).collect(),
            caught_up: of("app").map(|(.., at)| *at).max().unwrap_or_default(),
            slowest_beside: of("beside")
                .map(|(.., at)| Duration::from_micros(at.as_micros() as u64 % BESIDE.as_micros() as u64))
                .max()
                .unwrap_or_default(),
            violations: self.checks.violations,
        }
    }

    /// Runs it to its end. Destination, type and time of all arrivals.
    pub(super) fn arrivals(&mut self) -> Vec<(String, String, Duration)> {
        self.arrival_times = Some(Vec::new());
        while let Some(next) = self.queue.pop() {
            self.now = next.at;
            self.store.core.set_now(EPOCH + self.now);
            self.step(next);
            if self.done || self.now > self.plan.give_up || !self.checks.violations.is_empty() {
                break;
            }
        }
        self.arrival_times.take().unwrap_or_default()
    }

    pub(super) fn message(&mut self, event_type: &str) -> Message {
        self.next_id += 1;
        let id = MessageId(Uuid::from_u128(self.next_id));
        let builder = Message::builder(event_type, "order", self.next_id.to_string()).id(id).unordered();
        builder.build().unwrap_or_else(|_| unreachable!("the simulator writes valid messages"))
    }

    /// Page by page: a page ends also when many messages were looked at.
    fn list_all(&self, filter: &Filter) -> Vec<Listed> {
        let (mut all, mut after) = (Vec::new(), Some(Position::START));
        while let Some(position) = after {
            let page = self.store.core.list(filter, Page::after(position, usize::MAX));
            all.extend(page.rows);
            after = page.next;
        }
        all
    }

    /// The watcher looks, as `notify::watch` does it on a real store.
    pub(super) fn look(&mut self) {
        let Some(mut watcher) = self.watcher.take() else { return };
        let now = self.store.core.timestamp();
        watcher.observe(now, &self.store.core.overview());
        for (subject, to) in watcher.unknown() {
            let (aggregate_type, aggregate_id) = Notice::aggregate(&subject);
            let filter = Filter {
                destination: Some(to.clone()),
                aggregate_type: Some(aggregate_type.into()),
                aggregate_id: Some(aggregate_id),
                ..Filter::default()
            };
            watcher.learn(subject, to, Last::of(&self.list_all(&filter)));
        }
        for notice in watcher.notices(now) {
            watcher.forget(&notice.subject, &notice.to);
            self.next_id += 1;
            let id = MessageId(Uuid::from_u128(self.next_id));
            self.store.core.append(notice.message().into_iter().map(|message| Message { id, ..message }));
        }
        self.watcher = Some(watcher);
    }
}
