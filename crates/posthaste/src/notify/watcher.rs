//! What is to be told now, by what is wrong, since when, and what was told before. Pure: it is told the time.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use jiff::Timestamp;

use super::{Condition, Kind, Last, Notice, Phase, Settings, Subject, conditions, elapsed};
use crate::destination::Name;
use crate::inspect::Overview;

const HOUR: Duration = Duration::from_secs(3600);

/// A subject as it was seen.
#[derive(Debug, Clone)]
struct Seen {
    condition: Condition,
    /// Since when it is as it is: there, or gone.
    since: Timestamp,
    /// Since when it was there, at the last time.
    began: Timestamp,
    there: bool,
}

/// Sees conditions come and go, and says what is to be told.
#[derive(Debug)]
pub struct Watcher {
    settings: Settings,
    seen: BTreeMap<Subject, Seen>,
    /// What was told last, to whom.
    told: BTreeMap<(Subject, Name), Option<Last>>,
    /// When notices were written, within the last hour.
    written: VecDeque<Timestamp>,
}

impl Watcher {
    /// A watcher that has seen nothing.
    pub fn new(settings: Settings) -> Self {
        Self { settings, seen: BTreeMap::new(), told: BTreeMap::new(), written: VecDeque::new() }
    }

    /// Takes note of what is wrong now.
    pub fn observe(&mut self, now: Timestamp, overview: &Overview) {
        let mut found: BTreeMap<Subject, Condition> = BTreeMap::new();
        for condition in conditions(overview, self.settings.lag_over) {
            if !self.is_left_over(&condition, now) {
                found.insert(condition.subject.clone(), condition);
            }
        }
        for (subject, seen) in &mut self.seen {
            let condition = found.remove(subject);
            if condition.is_some() != seen.there {
                (seen.there, seen.since) = (condition.is_some(), now);
                seen.began = if seen.there { now } else { seen.began };
            }
            seen.condition = condition.unwrap_or_else(|| seen.condition.clone());
        }
        let new = found
            .into_iter()
            .map(|(subject, condition)| (subject, Seen { condition, since: now, began: now, there: true }));
        self.seen.extend(new);
        while self.written.front().is_some_and(|at| elapsed(*at, now) >= HOUR) {
            self.written.pop_front();
        }
    }

    /// Messages that were late already when their destination was out of reach are late for a reason that has been told.
    fn is_left_over(&self, condition: &Condition, now: Timestamp) -> bool {
        let (Kind::Lag, destination) = &condition.subject else { return false };
        let reasons =
            [(Kind::Outage, destination.clone()), (Kind::Paused, destination.clone()), (Kind::NoWorker, None)];
        let ended = reasons.iter().filter_map(|reason| self.seen.get(reason)).filter(|seen| !seen.there);
        let age = condition.age.unwrap_or_default();
        ended.map(|seen| elapsed(seen.since, now)).any(|since_end| age >= since_end)
    }

    /// The subjects about which it has to know what was told last, and to whom, before it can say more.
    pub fn unknown(&self) -> Vec<(Subject, Name)> {
        let all = self.seen.keys().flat_map(|subject| self.settings.to.iter().map(|to| (subject.clone(), to.clone())));
        all.filter(|told| !self.told.contains_key(told)).collect()
    }

    /// What was told last about a subject, as the journal has it.
    pub fn learn(&mut self, subject: Subject, to: Name, last: Option<Last>) {
        self.told.insert((subject, to), last);
    }

    /// Goes on where a watcher before left off: what it told and did not call over is over unless it is seen again.
    pub fn resume(&mut self, now: Timestamp, subject: Subject, to: Name, last: Last) {
        if last.is_open() {
            let command = "posthaste status".into();
            let condition =
                Condition { subject: subject.clone(), text: String::new(), command, deliveries: 0, age: None };
            let gone = Seen { condition, since: now, began: last.began, there: false };
            self.seen.entry(subject.clone()).or_insert(gone);
        }
        self.learn(subject, to, Some(last));
    }

    /// What was told last may be out of date.
    pub fn forget(&mut self, subject: &Subject, to: &Name) {
        self.told.remove(&(subject.clone(), to.clone()));
    }

    /// What is to be told now. Each is to be answered by [`Watcher::learn`] or [`Watcher::forget`].
    pub fn notices(&mut self, now: Timestamp) -> Vec<Notice> {
        let mut notices = Vec::new();
        for (subject, seen) in &self.seen {
            let Some(after) = self.settings.after.get(&subject.0) else { continue };
            let quiet = self.settings.quiet.as_ref().is_some_and(|quiet| quiet.silences(subject.0.severity(), now));
            for to in self.settings.to.iter().filter(|to| !quiet && subject.1.as_ref() != Some(*to)) {
                let Some(last) = self.told.get(&(subject.clone(), to.clone())) else { continue };
                if self.written.len() + notices.len() >= self.settings.max_per_hour {
                    return self.writing(notices, now);
                }
                let lasted = elapsed(seen.since, now) >= *after;
                if let Some(phase) = phase(seen.there, lasted, last.as_ref(), self.settings.remind_after, now) {
                    notices.push(Notice {
                        subject: subject.clone(),
                        phase,
                        to: to.clone(),
                        condition: seen.condition.clone(),
                        since: last.filter(Last::is_open).map_or(seen.began, |last| last.began.min(seen.began)),
                        at: now,
                        before: last.map(|last| last.id),
                    });
                }
            }
        }
        self.writing(notices, now)
    }

    fn writing(&mut self, notices: Vec<Notice>, now: Timestamp) -> Vec<Notice> {
        self.written.extend(notices.iter().map(|_| now));
        notices
    }

    /// What is wrong now, whether or not it is told.
    pub fn wrong(&self) -> impl Iterator<Item = (&Condition, Timestamp)> {
        self.seen.values().filter(|seen| seen.there).map(|seen| (&seen.condition, seen.began))
    }
}

/// What is to be said, if anything. `lasted` says that it is as it is for long enough.
fn phase(there: bool, lasted: bool, last: Option<&Last>, remind_after: Duration, now: Timestamp) -> Option<Phase> {
    match (there, last.filter(|last| last.is_open())) {
        (true, None) if lasted => Some(Phase::Began),
        (false, Some(_)) if lasted => Some(Phase::Over),
        (true, Some(last)) => {
            // The longer it lasts, the less is new about it.
            let pause = remind_after.max(elapsed(last.began, last.at).saturating_mul(2));
            (elapsed(last.at, now) >= pause).then_some(Phase::Still)
        }
        _ => None,
    }
}
