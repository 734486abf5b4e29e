//! An outage, hour by hour: what is told, when, and how often.

use jiff::{SignedDuration, Timestamp};

use super::*;
use crate::inspect::{DestinationCounts, Overview, WorkerStatus};
use crate::journal::{DestinationReport, WorkerReport};
use crate::message::MessageId;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

fn at(seconds: u64) -> Timestamp {
    "2026-03-01T12:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_secs(seconds as i64)
}

fn overview(counts: DestinationCounts, outage: Option<&str>) -> Overview {
    let report = DestinationReport { name: "crm".into(), outage: outage.map(Into::into), ..Default::default() };
    let report = Some(WorkerReport { destinations: vec![report] });
    let worker = WorkerStatus { worker: "w".into(), partitions: 1, alive: true, report };
    let counts = DestinationCounts { destination: "crm".into(), ..counts };
    Overview { messages: 9, destinations: vec![counts], workers: vec![worker], ..Overview::default() }
}

/// A journal of notices: what a store would keep.
struct Journal {
    watcher: Watcher,
    told: Vec<(u64, String)>,
}

impl Journal {
    fn new(settings: Settings) -> Self {
        Self { watcher: Watcher::new(settings), told: Vec::new() }
    }

    fn look(&mut self, seconds: u64, overview: &Overview) {
        self.watcher.observe(at(seconds), overview);
        for (subject, to) in self.watcher.unknown() {
            self.watcher.learn(subject, to, None);
        }
        for notice in self.watcher.notices(at(seconds)) {
            let message = notice.message().unwrap();
            self.told.push((seconds / MINUTE, message.event_type.to_string()));
            let began = if notice.phase == Phase::Began { notice.at } else { notice.since };
            let last = Last { id: MessageId::generate(), phase: notice.phase, at: notice.at, began };
            self.watcher.learn(notice.subject, notice.to, Some(last));
        }
    }

    /// Looks every fifteen seconds.
    fn watch(&mut self, from: u64, to: u64, overview: impl Fn(u64) -> Overview) {
        (from..to).step_by(15).for_each(|seconds| self.look(seconds, &overview(seconds)));
    }
}

fn told(journal: &Journal) -> Vec<(u64, &str)> {
    journal.told.iter().map(|(minute, what)| (*minute, what.as_str())).collect()
}

fn settings() -> Settings {
    Settings::new(vec!["ops".into()])
}

#[test]
fn an_outage_of_an_hour_is_told_three_times_and_what_piled_up_behind_it_not_at_all() {
    let mut journal = Journal::new(settings());
    journal.watch(0, HOUR, |seconds| {
        let age = Some(seconds as f64);
        overview(
            DestinationCounts { pending: 100_000, oldest_pending_seconds: age, ..Default::default() },
            Some("refused"),
        )
    });
    // It takes half an hour to catch up.
    journal.watch(HOUR, HOUR + 30 * MINUTE, |seconds| {
        let age = Some(HOUR as f64 - (seconds - HOUR) as f64);
        overview(DestinationCounts { pending: 50_000, oldest_pending_seconds: age, ..Default::default() }, None)
    });
    journal.watch(HOUR + 30 * MINUTE, 3 * HOUR, |_| overview(DestinationCounts::default(), None));
    let expected = [(1, "posthaste.outage.began"), (31, "posthaste.outage.still"), (61, "posthaste.outage.over")];
    assert_eq!(told(&journal), expected);
}

#[test]
fn the_longer_something_lasts_the_less_often_it_is_told() {
    let mut journal = Journal::new(settings());
    journal.watch(0, 24 * HOUR, |_| overview(DestinationCounts { dead: 3, ..Default::default() }, None));
    let minutes: Vec<u64> = journal.told.iter().map(|(minute, _)| *minute).collect();
    assert_eq!(minutes, [0, 30, 90, 270, 810]);
}

#[test]
fn what_comes_and_goes_within_a_minute_is_not_told() {
    let mut journal = Journal::new(settings());
    journal.watch(0, HOUR, |seconds| overview(DestinationCounts::default(), (seconds % 60 < 30).then_some("flapping")));
    assert_eq!(told(&journal), []);
}

#[test]
fn each_kind_is_told_with_what_helps() {
    let cases = [
        (DestinationCounts { dead: 1, ..Default::default() }, "dead", "posthaste list --status dead --destination crm"),
        (DestinationCounts { paused: true, pending: 2, ..Default::default() }, "paused", "posthaste resume crm"),
        (
            DestinationCounts { pending: 7, oldest_pending_seconds: Some(400.0), ..Default::default() },
            "lag",
            "posthaste status",
        ),
    ];
    for (counts, kind, command) in cases {
        let found = conditions(&overview(counts, None), Duration::from_secs(300));
        let [condition] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((condition.subject.0.as_str(), condition.command.as_str()), (kind, command));
    }
    let blocked = DestinationCounts { dead: 1, waiting: 5, ..Default::default() };
    let kinds: Vec<_> =
        conditions(&overview(blocked, None), Duration::MAX).iter().map(|found| found.subject.0).collect();
    assert_eq!(kinds, [Kind::Dead, Kind::Blocked]);
    let mut deserted = overview(DestinationCounts { pending: 3, ..Default::default() }, None);
    deserted.workers.clear();
    let found = conditions(&deserted, Duration::MAX);
    assert_eq!(
        (found[0].subject.0, found[0].text.as_str()),
        (Kind::NoWorker, "no worker is running, and 3 deliveries wait")
    );
}

#[test]
fn nobody_is_told_about_itself_and_quiet_hours_keep_warnings_until_the_morning() {
    let mut itself = Journal::new(Settings::new(vec!["crm".into()]));
    itself.watch(0, HOUR, |_| overview(DestinationCounts::default(), Some("refused")));
    assert_eq!(told(&itself), []);

    let quiet = Quiet {
        from: "12:00".parse().unwrap(),
        to: "12:30".parse().unwrap(),
        zone: jiff::tz::TimeZone::UTC,
        except: Severity::Error,
    };
    let mut night = Journal::new(Settings { quiet: Some(quiet), ..settings() });
    let both = DestinationCounts { paused: true, dead: 1, ..Default::default() };
    night.watch(0, 40 * MINUTE, |_| overview(both.clone(), None));
    assert_eq!(
        told(&night),
        [(0, "posthaste.dead.began"), (30, "posthaste.dead.still"), (30, "posthaste.paused.began")]
    );
}

#[test]
fn more_than_so_many_an_hour_wait() {
    let mut journal = Journal::new(Settings { max_per_hour: 2, ..settings() });
    let many = DestinationCounts { dead: 1, waiting: 1, paused: true, ..Default::default() };
    journal.watch(0, 61 * MINUTE, |_| overview(many.clone(), None));
    let first_hour = journal.told.iter().filter(|(minute, _)| *minute < 60).count();
    assert_eq!((first_hour, journal.told.len() > 2), (2, true));
}

#[test]
fn a_notice_names_the_one_before_it_so_that_only_one_worker_tells_it() {
    let mut watcher = Watcher::new(settings());
    watcher.observe(at(0), &overview(DestinationCounts { dead: 1, ..Default::default() }, None));
    let subject = (Kind::Dead, Some(Name::from("crm")));
    watcher.learn(subject.clone(), "ops".into(), None);
    let [first] = watcher.notices(at(0)).try_into().unwrap();
    let message = first.message().unwrap();
    assert_eq!(message.origin.as_ref().unwrap().event, "dead/crm/first");
    let last = Last { id: message.id, phase: Phase::Began, at: at(0), began: at(0) };
    watcher.learn(subject, "ops".into(), Some(last));
    watcher.observe(at(5), &overview(DestinationCounts::default(), None));
    let [over] = watcher.notices(at(5)).try_into().unwrap();
    assert_eq!(over.message().unwrap().origin.unwrap().event, format!("dead/crm/{}", message.id));
    assert_eq!(over.text(), "no delivery is dead at crm any more after 5s");
}

#[test]
fn what_was_told_before_a_restart_is_called_over_after_it() {
    let subject = Notice::subject_of("outage/crm").unwrap();
    assert_eq!(Notice::aggregate(&subject).1, "outage/crm");
    assert_eq!(Notice::subject_of("no_worker/all"), Some((Kind::NoWorker, None)));
    let last = Last { id: MessageId::generate(), phase: Phase::Began, at: at(0), began: at(0) };
    let mut watcher = Watcher::new(settings());
    watcher.resume(at(600), subject, "ops".into(), last);
    watcher.observe(at(600), &overview(DestinationCounts::default(), None));
    assert_eq!(watcher.notices(at(600)), [], "it may only not be seen yet");
    watcher.observe(at(660), &overview(DestinationCounts::default(), None));
    let [over] = watcher.notices(at(660)).try_into().unwrap();
    assert_eq!((over.phase, over.text().as_str()), (Phase::Over, "crm is within reach again after 11m"));
}
