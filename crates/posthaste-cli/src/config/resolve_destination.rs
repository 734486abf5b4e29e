//! What one `[destinations.NAME]` means.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use posthaste::Destination;
use posthaste::destination::{Rate, Route, StartFrom, check_dead_letters};
use posthaste::retry::{Backoff, OnDead};
use serde_json::{Map, Value};

use super::parse::{self, BackoffType, Mode, Span};
use super::parse_notify::Notify;
use super::problem::Problem;
use super::resolve::{DestinationPlan, at_least, at_least_one, or};
use crate::{expressions, sinks};

/// How long a receiver has for its answer unless the config says otherwise.
const CALLBACK_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// How many keys may be with a sink that takes several together, unless the config says. With a key for each message that is as many
/// messages, and a hand-over has half of them.
const IN_FLIGHT_TOGETHER: usize = 512;

/// All destinations, and how they fit together.
pub fn resolve_all(
    written: BTreeMap<String, parse::Destination>,
    notify: Option<&Notify>,
    problems: &mut Vec<Problem>,
) -> Vec<DestinationPlan> {
    let letters: BTreeSet<String> = written.values().filter_map(|written| written.dead_letters_to.clone()).collect();
    let mut plans = Vec::new();
    let known: Vec<String> = written.keys().cloned().collect();
    for (name, mut one) in written {
        // A destination for dead letters or notices gets nothing else, unless it says so.
        let told = notify.and_then(|notify| notify.to.as_ref()).is_some_and(|to| to.contains(&name));
        if letters.contains(&name) || told {
            one.events.get_or_insert_default();
        }
        plans.extend(resolve(&name, one, problems));
    }
    let destinations: Vec<Destination> = plans.iter().map(|plan| plan.destination.clone()).collect();
    if let Err((name, wrong)) = check_dead_letters(&destinations) {
        // One that has a problem of its own is not among the plans.
        if plans.len() == known.len() {
            problems.push(Problem::new(format!("destinations.{name}.dead_letters_to"), wrong));
        }
    }
    plans
}

/// Fills in and checks. `None` if the sink is not known.
fn resolve(name: &str, mut written: parse::Destination, problems: &mut Vec<Problem>) -> Option<DestinationPlan> {
    let mut section = Section { name, problems };
    section.check_name();
    let (mut sink, runs_at_once) = section.sink(&mut written).unzip();
    let mut destination = Destination::new(name);
    set(&mut destination.route, section.route(written.events));
    destination.filter = section.expression("filter", written.filter, expressions::filter);
    let transform = section.expression("transform", written.transform, expressions::check_transform);
    if let Some(sink) = &mut sink {
        sink.transform = transform;
    }
    let policy = &mut destination.policy;
    set(&mut policy.max_attempts, written.max_attempts);
    set(&mut policy.backoff, written.backoff.map(|backoff| section.backoff(backoff)));
    set(&mut policy.on_dead, written.on_dead.map(OnDead::from));
    let together = runs_at_once.is_some_and(|runs| runs > 1).then_some(IN_FLIGHT_TOGETHER);
    set(&mut destination.max_in_flight, written.max_in_flight.or(together));
    set(&mut destination.max_run, written.max_run.or(sink.as_ref().and_then(|sink| sink.kind.max_run())));
    destination.batch_delay = or(written.batch_delay, destination.batch_delay);
    let timeout = sink.as_ref().and_then(|sink| sink.kind.timeout());
    destination.timeout = or(written.timeout, timeout.unwrap_or(destination.timeout));
    destination.callback_timeout = section.callback(written.mode, written.callback_timeout, sink.as_ref());
    destination.rate = written.rate.and_then(|rate| section.rate("rate", &rate));
    destination.tenant_rate = written.tenant_rate.and_then(|rate| section.rate("tenant_rate", &rate));
    set(&mut destination.start_from, written.start_from.map(StartFrom::from));
    destination.dead_letters_to = written.dead_letters_to.map(Into::into);
    section.check_limits(&destination);
    Some(DestinationPlan { destination, sink: sink? })
}

/// What was written takes the place of the default.
fn set<T>(default: &mut T, written: Option<T>) {
    if let Some(written) = written {
        *default = written;
    }
}

struct Section<'a> {
    name: &'a str,
    problems: &'a mut Vec<Problem>,
}

impl Section<'_> {
    fn key(&self, setting: &str) -> String {
        format!("destinations.{}.{setting}", self.name)
    }

    fn problem(&mut self, setting: &str, text: impl Into<String>) {
        self.problems.push(Problem::new(self.key(setting), text));
    }

    fn check_name(&mut self) {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
        if self.name.is_empty() || self.name.len() > 100 || !self.name.chars().all(plain) {
            let key = format!("destinations.{:?}", self.name);
            self.problems.push(Problem::new(key, "is not a name: use letters, digits and - _ . : only, 100 at most"));
        }
    }

    /// Where the messages go: a type that this program has, and a table of that name that the sink accepts. And how many runs it takes
    /// together.
    fn sink(&mut self, written: &mut parse::Destination) -> Option<(sinks::Planned, usize)> {
        let Some(kind) = written.r#type else {
            // An unknown type has been noted already.
            if !self.problems.iter().any(|problem| problem.key == self.key("type")) {
                self.problem("type", "is missing: say where the messages go, such as type = \"stdout\"");
            }
            return None;
        };
        let mut settings = Value::Object(Map::new());
        for (other, table) in written.sink_settings() {
            if other == kind {
                settings = table;
            } else {
                let text = format!(
                    "belongs to type = \"{other}\", but this destination's is \"{kind}\": change it, or remove this table"
                );
                self.problem(&other.to_string(), text);
            }
        }
        if let Err(text) = kind.available() {
            self.problem("type", text);
            return None;
        }
        let planned = sinks::Planned { kind, settings, transform: None };
        let under = self.key(&kind.to_string());
        planned.open_or_note(&under, self.problems).map(|sink| (planned, sink.runs_at_once()))
    }

    fn route(&mut self, events: Option<Vec<String>>) -> Option<Route> {
        let events = events?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "._:/-*".contains(c);
        for pattern in &events {
            if pattern.is_empty() || !pattern.chars().all(plain) {
                let remedy = "use letters, digits and . _ : / - with * for any text, such as \"order.*\"";
                self.problem("events", format!("holds {pattern:?}, which matches no event type: {remedy}"));
            }
        }
        Some(Route::matching(events))
    }

    /// An expression that can be compiled.
    fn expression<T>(
        &mut self,
        setting: &str,
        written: Option<String>,
        compile: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        compile(&written?).map_err(|wrong| self.problem(setting, wrong)).ok()
    }

    fn backoff(&mut self, written: parse::Backoff) -> Backoff {
        let kind = written.r#type.unwrap_or_default();
        self.refuse_foreign_settings(kind, &written);
        let Backoff::Exponential { first, cap, jitter } = Backoff::default() else { return Backoff::default() };
        match kind {
            BackoffType::Patient => Backoff::patient(),
            BackoffType::Exponential => {
                let (first, cap) = (or(written.first, first), or(written.cap, cap));
                self.check_cap("first", first, cap);
                Backoff::Exponential { first, cap, jitter: or(written.jitter, jitter) }
            }
            BackoffType::Linear => {
                let (step, cap) = (or(written.step, first), or(written.cap, cap));
                self.check_cap("step", step, cap);
                Backoff::Linear { step, cap }
            }
            BackoffType::List => {
                let delays = written.delays.unwrap_or_default();
                if delays.is_empty() {
                    self.problem("backoff.delays", "is missing: list at least one, such as [\"1s\", \"10s\", \"1m\"]");
                }
                Backoff::List(delays.into_iter().map(|Span(delay)| delay).collect())
            }
        }
    }

    /// How long a receiver has for its answer, if it is to answer.
    fn callback(
        &mut self,
        mode: Option<Mode>,
        timeout: Option<Span>,
        sink: Option<&sinks::Planned>,
    ) -> Option<Duration> {
        if mode.unwrap_or_default() == Mode::Direct {
            if timeout.is_some() {
                self.problem("callback_timeout", "belongs to mode = \"callback\": set that, or remove this");
            }
            return None;
        }
        if sink.is_some_and(|sink| sink.kind == sinks::Kind::Bullmq && sink.settings["mode"] != "fire-and-forget") {
            let text = "is not needed: this sink knows when a worker is done with its job. \
                        Remove it, or set bullmq.mode = \"fire-and-forget\" if workers are to answer";
            self.problem("mode", text);
        }
        let timeout = or(timeout, CALLBACK_TIMEOUT);
        let key = self.key("callback_timeout");
        at_least(&key, timeout, Duration::from_secs(1), self.problems);
        Some(timeout)
    }

    fn check_cap(&mut self, setting: &str, start: Duration, cap: Duration) {
        if cap < start {
            self.problem("backoff.cap", format!("is shorter than `{setting}`: raise it, or lower `{setting}`"));
        }
    }

    fn refuse_foreign_settings(&mut self, kind: BackoffType, written: &parse::Backoff) {
        let (name, known): (_, &[&str]) = match kind {
            BackoffType::Exponential => ("exponential", &["first", "cap", "jitter"]),
            BackoffType::Linear => ("linear", &["step", "cap"]),
            BackoffType::List => ("list", &["delays"]),
            BackoffType::Patient => ("patient", &[]),
        };
        let given = [
            ("first", written.first.is_some()),
            ("step", written.step.is_some()),
            ("cap", written.cap.is_some()),
            ("jitter", written.jitter.is_some()),
            ("delays", written.delays.is_some()),
        ];
        for (setting, _) in given.into_iter().filter(|(setting, given)| *given && !known.contains(setting)) {
            let takes = if known.is_empty() { "no other setting".into() } else { known.join(", ") };
            self.problem(
                &format!("backoff.{setting}"),
                format!("does not belong to type \"{name}\", which takes {takes}"),
            );
        }
    }

    fn rate(&mut self, setting: &str, written: &parse::Rate) -> Option<Rate> {
        let Some(per_second) = written.per_second.filter(|rate| *rate > 0.0) else {
            let whose = if setting == "rate" { "go there" } else { "a tenant gets" };
            self.problem(
                &format!("{setting}.per_second"),
                format!("must be a number above 0: write how many {whose} each second"),
            );
            return None;
        };
        let burst = written.burst.unwrap_or(per_second.ceil() as u32);
        let key = self.key(&format!("{setting}.burst"));
        at_least_one(&key, burst as usize, self.problems);
        Some(Rate { per_second, burst })
    }

    fn check_limits(&mut self, destination: &Destination) {
        let counts = [
            ("max_attempts", destination.policy.max_attempts as usize),
            ("max_in_flight", destination.max_in_flight),
            ("max_run", destination.max_run),
        ];
        for (setting, value) in counts {
            let key = self.key(setting);
            at_least_one(&key, value, self.problems);
        }
        let key = self.key("timeout");
        at_least(&key, destination.timeout, Duration::from_millis(1), self.problems);
    }
}

impl From<parse::OnDead> for OnDead {
    fn from(written: parse::OnDead) -> Self {
        match written {
            parse::OnDead::Block => Self::Block,
            parse::OnDead::Skip => Self::Skip,
        }
    }
}

impl From<parse::StartFrom> for StartFrom {
    fn from(written: parse::StartFrom) -> Self {
        match written {
            parse::StartFrom::Beginning => Self::Beginning,
            parse::StartFrom::Now => Self::Now,
        }
    }
}
