//! Which sinks the program can open: a visible list, no magic. One arm per sink.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use posthaste::sink::{self, Sink};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::config::{Problem, fit};
use crate::expressions;

/// The `type` of a destination. Every sink that Posthaste knows is here, built in or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Stdout,
    Handlers,
    Redis,
    Rabbitmq,
    Kafka,
    Nats,
    Webhook,
    Email,
    Sms,
    Slack,
    Bullmq,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

impl Kind {
    /// Messages of one key handed over together, where the sink has a default of its own. What goes by a request or a mail of its own
    /// goes one at a time, because each may take as long as the destination's `timeout`.
    pub fn max_run(self) -> Option<usize> {
        matches!(self, Self::Webhook | Self::Email | Self::Sms | Self::Slack | Self::Bullmq).then_some(1)
    }

    /// How long a hand-over may take, where the sink has a default of its own: what somebody else's worker does may take its time.
    pub fn timeout(self) -> Option<Duration> {
        (self == Self::Bullmq).then_some(Duration::from_secs(900))
    }

    /// Whether this program can open it; if not, what to do about that.
    pub fn available(self) -> Result<(), String> {
        let built_in = match self {
            Self::Stdout => cfg!(feature = "stdout"),
            Self::Redis => cfg!(feature = "redis"),
            Self::Rabbitmq => cfg!(feature = "rabbitmq"),
            Self::Kafka => cfg!(feature = "kafka"),
            Self::Nats => cfg!(feature = "nats"),
            Self::Webhook => cfg!(feature = "webhook"),
            Self::Email => cfg!(feature = "email"),
            Self::Sms => cfg!(feature = "sms"),
            Self::Slack => cfg!(feature = "slack"),
            Self::Bullmq => cfg!(feature = "bullmq"),
            Self::Handlers => return Err("\"handlers\" are functions inside an application, which this program cannot call: \
                run the relay in that application, through the library (posthaste::sinks::handlers), and leave this destination out"
                .into()),
        };
        if built_in { Ok(()) } else { Err(crate::store::built_without(&self.to_string())) }
    }
}

/// A sink as the config wants it: its type, and the table of that name.
#[derive(Clone, PartialEq)]
pub struct Planned {
    pub kind: Kind,
    /// May hold secrets.
    pub settings: Value,
    /// What changes messages on their way to it.
    pub transform: Option<String>,
}

impl fmt::Debug for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planned").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Planned {
    /// The sink itself; nothing if [`Planned::open_or_note`] said so.
    pub fn open(&self) -> Option<Arc<dyn Sink>> {
        let sink = self.open_or_note("", &mut Vec::new())?;
        match &self.transform {
            Some(transform) => expressions::transformed(transform, sink).ok(),
            None => Some(sink),
        }
    }

    /// Opens the sink, or notes what is wrong with the settings, which are to be found at the key `under`. No sink connects
    /// before it has something to do, so that opening one is also the way to check its settings.
    pub fn open_or_note(&self, under: &str, problems: &mut Vec<Problem>) -> Option<Arc<dyn Sink>> {
        let settings = Settings { value: &self.settings, under, problems };
        match self.kind {
            #[cfg(feature = "stdout")]
            Kind::Stdout => settings.open(|_: NoSettings| Ok(posthaste::sinks::stdout::Stdout::new())),
            #[cfg(feature = "rabbitmq")]
            Kind::Rabbitmq => settings.open(posthaste::sinks::rabbitmq::Rabbitmq::new),
            #[cfg(feature = "kafka")]
            Kind::Kafka => settings.open(posthaste::sinks::kafka::Kafka::new),
            #[cfg(feature = "redis")]
            Kind::Redis => settings.open(posthaste::sinks::redis::Redis::new),
            #[cfg(feature = "nats")]
            Kind::Nats => settings.open(posthaste::sinks::nats::Nats::new),
            #[cfg(feature = "webhook")]
            Kind::Webhook => settings.open(posthaste::sinks::webhook::Webhook::new),
            #[cfg(feature = "email")]
            Kind::Email => settings.open(posthaste::sinks::email::Email::new),
            #[cfg(feature = "sms")]
            Kind::Sms => settings.open(posthaste::sinks::sms::Sms::new),
            #[cfg(feature = "slack")]
            Kind::Slack => settings.open(posthaste::sinks::slack::Slack::new),
            #[cfg(feature = "bullmq")]
            Kind::Bullmq => settings.open(posthaste::sinks::bullmq::Bullmq::new),
            _ => None,
        }
    }
}

/// For a sink that needs none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoSettings {}

struct Settings<'a> {
    value: &'a Value,
    under: &'a str,
    problems: &'a mut Vec<Problem>,
}

impl Settings<'_> {
    fn open<T, S>(self, new: impl FnOnce(T) -> Result<S, sink::settings::Problem>) -> Option<Arc<dyn Sink>>
    where
        T: DeserializeOwned,
        S: Sink + 'static,
    {
        let noted = self.problems.len();
        let settings = fit(self.value.clone(), self.under, self.problems).filter(|_| self.problems.len() == noted)?;
        match new(settings) {
            Ok(sink) => Some(Arc::new(sink)),
            Err(problem) => {
                self.problems.push(Problem::new(format!("{}.{}", self.under, problem.setting), problem.text));
                None
            }
        }
    }
}
