//! What `[notify]` means: who is told what is wrong with the relay itself.

use std::time::Duration;

use jiff::tz::TimeZone;
use posthaste::Destination;
use posthaste::destination::Name;
use posthaste::notify::{Kind, Quiet, Settings, Severity};

use super::parse_notify::{self as parse, Names};
use super::problem::Problem;
use super::resolve::{at_least, at_least_one, or};

/// `None` unless the config has the section.
pub(super) fn resolve(
    written: Option<parse::Notify>,
    destinations: &[Destination],
    problems: &mut Vec<Problem>,
) -> Option<Settings> {
    let mut written = written?;
    let mut settings = Settings::new(names(written.to.take(), destinations, problems));
    settings.interval = or(written.interval, settings.interval);
    settings.lag_over = or(written.lag_over, settings.lag_over);
    settings.remind_after = or(written.remind_after, settings.remind_after);
    settings.max_per_hour = written.max_per_hour.unwrap_or(settings.max_per_hour);
    kinds(&written, &mut settings);
    settings.quiet = written.quiet.and_then(|quiet| resolve_quiet(&quiet, problems));
    at_least("notify.interval", settings.interval, Duration::from_millis(100), problems);
    at_least("notify.remind_after", settings.remind_after, Duration::from_secs(1), problems);
    at_least_one("notify.max_per_hour", settings.max_per_hour, problems);
    Some(settings)
}

/// What is told after how long, and what never.
fn kinds(written: &parse::Notify, settings: &mut Settings) {
    let afters = [
        (Kind::Dead, written.dead_after),
        (Kind::Blocked, written.blocked_after),
        (Kind::Paused, written.paused_after),
        (Kind::Outage, written.outage_after),
        (Kind::NoWorker, written.no_worker_after),
        (Kind::Source, written.source_after),
    ];
    for (kind, after) in afters.into_iter().filter_map(|(kind, after)| Some((kind, after?.0))) {
        settings.after.insert(kind, after);
    }
    for kind in written.never.iter().flatten() {
        settings.after.remove(&(*kind).into());
    }
}

fn names(written: Option<Names>, destinations: &[Destination], problems: &mut Vec<Problem>) -> Vec<Name> {
    let names = written.map(Names::into_vec).unwrap_or_default();
    if names.is_empty() {
        problems.push(Problem::new("notify.to", "is missing: name the destination that is told, such as to = \"ops\""));
    }
    for name in names.iter().filter(|name| !destinations.iter().any(|known| known.name.as_str() == *name)) {
        problems.push(Problem::new("notify.to", format!("names `{name}`, and there is no such destination")));
    }
    names.into_iter().map(Name::from).collect()
}

fn resolve_quiet(written: &parse::Quiet, problems: &mut Vec<Problem>) -> Option<Quiet> {
    let mut time = |setting: &str, text: &Option<String>| {
        let parsed = text.as_deref().and_then(|text| text.parse().ok());
        if parsed.is_none() {
            let key = format!("notify.quiet.{setting}");
            problems.push(Problem::new(key, "must be a time of day: write it as \"22:00\""));
        }
        parsed
    };
    let (from, to) = (time("from", &written.from), time("to", &written.to));
    let zone = written.time_zone.as_deref().unwrap_or("UTC");
    let zone = TimeZone::get(zone).map_err(|_| {
        let text = format!("is `{zone}`, which is no time zone: write one such as \"Europe/Berlin\", or \"UTC\"");
        problems.push(Problem::new("notify.quiet.time_zone", text));
    });
    Some(Quiet { from: from?, to: to?, zone: zone.ok()?, except: written.except.unwrap_or(Severity::Error) })
}

impl From<parse::NoticeKind> for Kind {
    fn from(written: parse::NoticeKind) -> Self {
        match written {
            parse::NoticeKind::Dead => Self::Dead,
            parse::NoticeKind::Blocked => Self::Blocked,
            parse::NoticeKind::Paused => Self::Paused,
            parse::NoticeKind::Outage => Self::Outage,
            parse::NoticeKind::Lag => Self::Lag,
            parse::NoticeKind::NoWorker => Self::NoWorker,
            parse::NoticeKind::Source => Self::Source,
        }
    }
}
