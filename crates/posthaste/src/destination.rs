//! A destination: a name, its route and its policy. The sink behind the name is given to the relay separately.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, Kind, Result};
use crate::message::Message;
use crate::retry::Policy;

/// The name of a destination; cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Name(Arc<str>);

impl Name {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: Into<Arc<str>>> From<T> for Name {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which messages a destination gets: those whose event type matches a pattern, and those that name it.
///
/// A pattern is an event type in which `*` stands for any text, dots included: `order.*` matches `order.line.added`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Route {
    patterns: Vec<String>,
}

impl Route {
    /// Every message that names no destination.
    pub fn everything() -> Self {
        Self::matching(["*"])
    }

    /// Only messages that name the destination.
    pub fn named_only() -> Self {
        Self::default()
    }

    /// Messages whose event type matches one of the patterns.
    pub fn matching<P: Into<String>>(patterns: impl IntoIterator<Item = P>) -> Self {
        Self { patterns: patterns.into_iter().map(Into::into).collect() }
    }

    /// The patterns; none for [`Route::named_only`].
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }
}

/// What a [`Filter`] asks about a message; an error says why it cannot be answered.
type Question = dyn Fn(&Message) -> std::result::Result<bool, String> + Send + Sync;

/// Which of the messages on its route a destination takes. What it leaves out counts as passed. What it cannot be asked about is dead
/// there, with the reason.
///
/// It has to be pure: a message is asked about again after a restart, and at each attempt.
#[derive(Clone)]
pub struct Filter {
    text: Arc<str>,
    takes: Arc<Question>,
}

impl Filter {
    /// A filter and the text that stands for it. A reason must contain no payload.
    pub fn new(
        text: impl Into<Arc<str>>,
        takes: impl Fn(&Message) -> std::result::Result<bool, String> + Send + Sync + 'static,
    ) -> Self {
        Self { text: text.into(), takes: Arc::new(takes) }
    }

    /// What it is called where people read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the destination takes this message.
    pub fn takes(&self, message: &Message) -> std::result::Result<bool, String> {
        (self.takes)(message)
    }
}

/// Filters are the same if their texts are.
impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Filter").field(&self.text).finish()
    }
}

/// At most this many deliveries per second, with room for a burst, over all workers: each has as much of it as it has of the partitions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Deliveries per second, over time.
    pub per_second: f64,
    /// Deliveries that may come at once after a pause.
    pub burst: u32,
}

/// Where a destination that the journal has never seen starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StartFrom {
    /// The oldest message still kept.
    #[default]
    Beginning,
    /// What is written from now on.
    Now,
}

/// How a destination is served.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Destination {
    /// Unique among the destinations of a relay; its cursors are kept under it.
    pub name: Name,
    /// Which messages it gets.
    pub route: Route,
    /// Which of those it takes; all of them without one.
    pub filter: Option<Filter>,
    /// How failures are treated.
    pub policy: Policy,
    /// Runs handed to the sink at once, over all keys. A sink that takes several together gets half of them in a hand-over, and with a key
    /// for each message is the faster the more they are; the program gives such sinks 512.
    pub max_in_flight: usize,
    /// Messages of one key handed over together.
    pub max_run: usize,
    /// Wait this long for more messages before handing over; zero delivers at once.
    pub batch_delay: Duration,
    /// A hand-over that takes longer has failed.
    pub timeout: Duration,
    /// A hand-over that is given up goes on, and is taken up again by the next one: nobody waits for it when a worker stops or gives a
    /// partition away. The relay asks the sink, [`Sink::resumes`](crate::sink::Sink::resumes).
    pub resumes: bool,
    /// What is handed over counts as delivered only when its receiver says so ([`Inspect::settle`](crate::inspect::Inspect::settle)), and has
    /// failed if it does not within this time. Messages of a key go one by one, each after the answer to the one before. Without this, the
    /// sink's word is enough.
    pub callback_timeout: Option<Duration>,
    /// For everything that goes there.
    pub rate: Option<Rate>,
    /// For each tenant.
    pub tenant_rate: Option<Rate>,
    /// Where it starts when the journal has never seen it.
    pub start_from: StartFrom,
    /// Another destination, which also gets what dies here.
    pub dead_letters_to: Option<Name>,
}

/// Whether every dead-letter destination is there and ends the chain; says what to change. Each with the destination that is wrong.
pub fn check_dead_letters(destinations: &[Destination]) -> std::result::Result<(), (Name, String)> {
    for destination in destinations {
        let Some(to) = &destination.dead_letters_to else { continue };
        let found = destinations.iter().find(|other| other.name == *to);
        let wrong = match found {
            None => format!("is `{to}`, and there is no such destination"),
            Some(_) if *to == destination.name => "is the destination itself: name another one".into(),
            Some(other) if other.dead_letters_to.is_some() => {
                format!("is `{to}`, which has dead letters of its own: take `dead_letters_to` away there")
            }
            Some(_) => continue,
        };
        return Err((destination.name.clone(), wrong));
    }
    Ok(())
}

impl Destination {
    /// Whether it can be served at all; says what to change.
    pub(crate) fn check(&self) -> Result<()> {
        let counts = [
            ("max_in_flight", self.max_in_flight),
            ("max_run", self.max_run),
            ("max_attempts", self.policy.max_attempts as usize),
        ];
        match counts.into_iter().find(|(_, count)| *count == 0) {
            Some((setting, _)) => {
                let text = format!("destination `{}`: {setting} must be at least 1", self.name);
                Err(Error::new(Kind::Invalid, text))
            }
            None => Ok(()),
        }
    }

    /// A destination with default policy that gets every message.
    pub fn new(name: impl Into<Name>) -> Self {
        Self {
            name: name.into(),
            route: Route::everything(),
            filter: None,
            policy: Policy::default(),
            max_in_flight: 64,
            max_run: 100,
            batch_delay: Duration::ZERO,
            timeout: Duration::from_secs(30),
            resumes: false,
            callback_timeout: None,
            rate: None,
            tenant_rate: None,
            start_from: StartFrom::default(),
            dead_letters_to: None,
        }
    }

    /// Sets which messages it gets.
    #[must_use]
    pub fn route(self, route: Route) -> Self {
        Self { route, ..self }
    }

    /// Sets which of the messages on its route it takes.
    #[must_use]
    pub fn filter(self, filter: Filter) -> Self {
        Self { filter: Some(filter), ..self }
    }

    /// Sets how failures are treated.
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Sets how many runs are with the sink at once, over all keys.
    #[must_use]
    pub fn max_in_flight(self, max_in_flight: usize) -> Self {
        Self { max_in_flight, ..self }
    }

    /// Sets how many messages of one key are handed over together.
    #[must_use]
    pub fn max_run(self, max_run: usize) -> Self {
        Self { max_run, ..self }
    }

    /// Sets how long to wait for more messages before handing over.
    #[must_use]
    pub fn batch_delay(self, batch_delay: Duration) -> Self {
        Self { batch_delay, ..self }
    }

    /// Sets how long a hand-over may take.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Has receivers say what became of what they were handed, within this time.
    #[must_use]
    pub fn callback_timeout(self, within: Duration) -> Self {
        Self { callback_timeout: Some(within), ..self }
    }

    /// Limits everything that goes there.
    #[must_use]
    pub fn rate(self, rate: Rate) -> Self {
        Self { rate: Some(rate), ..self }
    }

    /// Limits what goes there for each tenant.
    #[must_use]
    pub fn tenant_rate(self, rate: Rate) -> Self {
        Self { tenant_rate: Some(rate), ..self }
    }

    /// Sets which destination also gets what dies here. It has to be one of the same relay, and has no dead letters of its own.
    #[must_use]
    pub fn dead_letters_to(self, name: impl Into<Name>) -> Self {
        Self { dead_letters_to: Some(name.into()), ..self }
    }

    /// Sets where it starts when the journal has never seen it.
    #[must_use]
    pub fn start_from(self, start_from: StartFrom) -> Self {
        Self { start_from, ..self }
    }
}
