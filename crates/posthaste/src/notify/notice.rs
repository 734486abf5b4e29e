//! A notice as a message.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;

use super::{Condition, Kind, Phase, Subject, elapsed};
use crate::destination::Name;
use crate::duration;
use crate::inspect::Listed;
use crate::message::{Invalid, Message, MessageId};

/// The aggregate type of all notices, and the stream of their origins.
pub(super) const AGGREGATE_TYPE: &str = "posthaste.notice";

/// What was told last about a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Last {
    /// The message that told it.
    pub id: MessageId,
    /// What it said.
    pub phase: Phase,
    /// When.
    pub at: Timestamp,
    /// When the condition was told for the first time.
    pub began: Timestamp,
}

impl Last {
    /// What notices say that are listed in the order in which they were written.
    pub fn of(listed: &[Listed]) -> Option<Self> {
        let mut last: Option<Self> = None;
        for notice in listed {
            let Some(phase) = Phase::ALL.into_iter().find(|phase| notice.event_type.ends_with(phase.as_str())) else {
                continue;
            };
            let began = match (phase, &last) {
                (Phase::Still | Phase::Over, Some(before)) => before.began,
                _ => notice.occurred_at,
            };
            last = Some(Self { id: notice.id, phase, at: notice.occurred_at, began });
        }
        last
    }

    pub(super) fn is_open(&self) -> bool {
        self.phase != Phase::Over
    }
}

/// Something to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What it is about.
    pub subject: Subject,
    /// What it says about it.
    pub phase: Phase,
    /// Who is told.
    pub to: Name,
    /// What is wrong; of one that is over, what was.
    pub condition: Condition,
    /// Since when it is wrong, as far as is known.
    pub since: Timestamp,
    /// When it is told.
    pub at: Timestamp,
    /// What was told before it.
    pub before: Option<MessageId>,
}

impl Notice {
    /// The aggregate of all notices about a subject: its type and its id.
    pub fn aggregate(subject: &Subject) -> (&'static str, String) {
        let (kind, destination) = subject;
        (AGGREGATE_TYPE, format!("{}/{}", kind.as_str(), destination.as_ref().map_or("all", Name::as_str)))
    }

    /// What the aggregate of this id is about; the inverse of [`Notice::aggregate`].
    pub fn subject_of(aggregate_id: &str) -> Option<Subject> {
        let (kind, name) = aggregate_id.split_once('/')?;
        let kind = Kind::ALL.into_iter().find(|known| known.as_str() == kind)?;
        Some((kind, (kind != Kind::NoWorker).then(|| Name::from(name))))
    }

    /// The message. One that another worker has written already has the same origin, and is left out by the store.
    pub fn message(&self) -> Result<Message, Invalid> {
        let (aggregate_type, aggregate_id) = Self::aggregate(&self.subject);
        let before = self.before.map_or_else(|| "first".to_owned(), |id| id.to_string());
        let event_type = format!("posthaste.{}.{}", self.subject.0.as_str(), self.phase.as_str());
        Message::builder(event_type, aggregate_type, aggregate_id.as_str())
            .json(&self.payload())
            .occurred_at(self.at)
            .destination(self.to.as_str())
            .origin(AGGREGATE_TYPE, format!("{aggregate_id}/{before}"))
            .build()
    }

    fn payload(&self) -> serde_json::Value {
        json!({
            "kind": self.subject.0.as_str(),
            "phase": self.phase.as_str(),
            "severity": self.subject.0.severity().as_str(),
            "destination": self.subject.1.as_ref().map(Name::as_str),
            "text": self.text(),
            "command": self.condition.command,
            "deliveries": self.condition.deliveries,
            "since": self.since.to_string(),
        })
    }

    /// What it says, in a sentence.
    pub fn text(&self) -> String {
        let lasted = duration::brief(Duration::from_secs(elapsed(self.since, self.at).as_secs()));
        match self.phase {
            Phase::Began => self.condition.text.clone(),
            Phase::Still => format!("still, for {lasted}: {}", self.condition.text),
            Phase::Over => format!("{} after {lasted}", self.over()),
        }
    }

    fn over(&self) -> String {
        let name = self.subject.1.as_ref().map_or("all destinations", Name::as_str);
        match self.subject.0 {
            Kind::Dead => format!("no delivery is dead at {name} any more"),
            Kind::Blocked => format!("nothing waits behind a dead delivery at {name} any more"),
            Kind::Paused => format!("{name} is not paused any more"),
            Kind::Outage => format!("{name} is within reach again"),
            Kind::Lag => format!("{name} has caught up"),
            Kind::NoWorker => "a worker is running again".to_owned(),
            Kind::Source => format!("the source {name} is read again"),
        }
    }
}
