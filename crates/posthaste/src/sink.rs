//! Where messages go.
//!
//! A sink delivers and says what happened. It does not retry, log, count or decide: [`rules::decide`](crate::rules::decide) does.
//!
//! Beside the port [`Sink`] stands what the sinks in [`sinks`](crate::sinks) are made of: [`template`] for names that messages decide,
//! `payload_template` for texts that people read, [`format`](mod@format) for bodies and headers, [`settings`] for what is wrong with a
//! config, `http` for whatever is reached by HTTP, `redis_client` for Redis, `shared_connection` for a client that many runs use at once, and `bounded_map` for what
//! is known of a destination.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use crate::destination::Name;
use crate::journal::{Partition, Position};
use crate::message::{Message, OrderKey};
pub use crate::retry::Verdict;

pub use self::outcomes::Outcomes;

#[cfg(any(feature = "kafka", feature = "nats", feature = "rabbitmq", feature = "slack"))]
pub(crate) mod bounded_map;
pub mod format;
#[cfg(any(feature = "webhook", feature = "sms", feature = "slack"))]
pub mod http;
mod outcomes;
#[cfg(any(feature = "email", feature = "sms", feature = "slack"))]
#[cfg_attr(
    not(all(feature = "email", feature = "sms", feature = "slack")),
    allow(dead_code, reason = "each of these sinks needs another part of it")
)]
pub mod payload_template;
#[cfg(any(feature = "bullmq", feature = "redis"))]
pub(crate) mod redis_client;
pub mod settings;
#[cfg(any(feature = "bullmq", feature = "nats", feature = "redis"))]
pub(crate) mod shared_connection;
pub mod template;

/// The text of an error is cut here, so that a chatty server cannot fill the database: what a server said, and a line about it.
pub const MAX_ERROR_BYTES: usize = MAX_ANSWER_BYTES + (1 << 10);
/// What is kept of what a server said.
pub const MAX_ANSWER_BYTES: usize = 20 << 10;
/// What is kept of it with the message; all of it stands in the timeline.
pub const MAX_BRIEF_CHARS: usize = 5_000;
/// What is kept of what a receiver replied when all was well: it is written for each message that has a reply.
pub const MAX_REPLY_BYTES: usize = 2 << 10;

/// One message on its way to one destination.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Delivery {
    /// What is to be delivered.
    pub message: Arc<Message>,
    /// Where it stands in the journal.
    pub position: Position,
    /// Counts from one.
    pub attempt: u32,
    /// What this sink said in [`Outcome::progress`] when the attempt before failed.
    pub progress: Option<Vec<u8>>,
    /// It was delivered, and someone asked to deliver it once more.
    pub replayed: bool,
    /// Its receiver is to say what became of it, and names this hand-over when it does. No two of a message at a destination are the same.
    pub hand_over: Option<String>,
}

impl Delivery {
    /// The first attempt of a message.
    pub fn new(message: impl Into<Arc<Message>>, position: Position) -> Self {
        Self { message: message.into(), position, attempt: 1, progress: None, replayed: false, hand_over: None }
    }

    /// Another attempt than the first.
    #[must_use]
    pub fn attempt(mut self, attempt: u32) -> Self {
        self.attempt = attempt;
        self
    }

    /// What the sink said in [`Outcome::progress`] when the attempt before failed.
    #[must_use]
    pub fn progress(mut self, progress: Option<Vec<u8>>) -> Self {
        self.progress = progress;
        self
    }

    /// Its receiver is to say what became of it, under this name.
    #[must_use]
    pub fn hand_over(mut self, hand_over: impl Into<String>) -> Self {
        self.hand_over = Some(hand_over.into());
        self
    }

    /// Someone asked to deliver it once more.
    #[must_use]
    pub fn replayed(mut self) -> Self {
        self.replayed = true;
        self
    }
}

/// Consecutive messages of one key (or a single one without key), to be delivered in order.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Run {
    /// The destination that the sink belongs to.
    pub destination: Name,
    /// The partition that all of its messages are in.
    pub partition: Partition,
    /// Never empty.
    pub deliveries: Vec<Delivery>,
}

impl Run {
    /// A run of at least one delivery.
    pub fn new(destination: impl Into<Name>, partition: Partition, deliveries: Vec<Delivery>) -> Self {
        Self { destination: destination.into(), partition, deliveries }
    }

    /// The key all of its messages share; `None` for a message that asked for no order.
    pub fn key(&self) -> Option<OrderKey> {
        self.deliveries.first()?.message.order_key()
    }
}

/// What a sink answers: how many leading messages were confirmed, and what stopped it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// As the destination promises it: acknowledged, stored, 2xx. Unknown is not confirmed.
    pub confirmed: usize,
    /// Why the next one was not; `None` when all were.
    pub error: Option<Error>,
    /// Kept with the message that failed and given back at its next attempt; `None` leaves what was kept before.
    pub progress: Option<Vec<u8>>,
    /// What the receivers of the confirmed ones said, in their order, for the timeline; it may end early. A message with a reply costs a
    /// write of its own.
    pub replies: Vec<Option<String>>,
}

impl Outcome {
    /// All of the run was confirmed.
    pub fn delivered(run: &Run) -> Self {
        Self { confirmed: run.deliveries.len(), error: None, progress: None, replies: Vec::new() }
    }

    /// The first `confirmed` were, then this happened.
    pub fn stopped(confirmed: usize, error: Error) -> Self {
        Self { confirmed, error: Some(error), progress: None, replies: Vec::new() }
    }

    /// Nothing is known of the run, so that nothing of it counts as delivered.
    pub(crate) fn unanswered() -> Self {
        Self { confirmed: 0, error: None, progress: None, replies: Vec::new() }
    }

    /// Keeps `progress` with the message that failed.
    #[must_use]
    pub fn with_progress(mut self, progress: Vec<u8>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Keeps what receivers said of the confirmed messages. A text that is longer than [`MAX_REPLY_BYTES`] is cut.
    #[must_use]
    pub fn with_replies(mut self, mut replies: Vec<Option<String>>) -> Self {
        for reply in replies.iter_mut().flatten() {
            reply.truncate(reply.floor_char_boundary(MAX_REPLY_BYTES));
        }
        self.replies = replies;
        self
    }
}

/// Why a delivery failed: what it means, and a text for a person that contains no payload and no secret.
///
/// It has no [`source`](std::error::Error::source): the text is what is stored and shown, so whoever makes the error puts what the client
/// said into it, and the verdict is all that anyone acts on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What the failure means for the message.
    pub verdict: Verdict,
    text: String,
}

impl Error {
    /// A failure with its verdict. A text that is longer than [`MAX_ERROR_BYTES`] is cut.
    pub fn new(verdict: Verdict, text: impl fmt::Display) -> Self {
        let mut text = text.to_string();
        text.truncate(text.floor_char_boundary(MAX_ERROR_BYTES));
        Self { verdict, text }
    }

    /// It may work at another attempt.
    pub fn retry(text: impl fmt::Display) -> Self {
        Self::new(Verdict::Retry, text)
    }

    /// This message will never be accepted.
    pub fn reject(text: impl fmt::Display) -> Self {
        Self::new(Verdict::Reject, text)
    }

    /// Whoever took the messages takes none any more.
    pub fn gone(text: impl fmt::Display) -> Self {
        Self::new(Verdict::Gone, text)
    }

    /// Nothing can be delivered now, whichever message it is.
    pub fn unreachable(text: impl fmt::Display) -> Self {
        Self::new(Verdict::Unreachable, text)
    }

    /// All that is known, for the timeline.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The beginning, for wherever only the last error stands.
    pub fn brief(&self) -> &str {
        self.text.char_indices().nth(MAX_BRIEF_CHARS).map_or(&self.text, |(cut, _)| &self.text[..cut])
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

/// Where the messages of a destination go. Proven by `conformance::sink_suite`.
#[async_trait]
pub trait Sink: fmt::Debug + Send + Sync {
    /// Delivers a run in order and stops at the first message that is not confirmed. Called for many keys at once, for one
    /// key only one at a time. May be dropped at any await point; what was not answered counts as not delivered. Need not
    /// care where it runs: one that computes or waits gets tasks of its own.
    async fn deliver(&self, run: &Run) -> Outcome;

    /// How many runs it wants to be handed over together, each of another key. More than one is for a sink that many cost hardly more
    /// than one; it has [`Sink::deliver_all`], too.
    fn runs_at_once(&self) -> usize {
        1
    }

    /// Delivers several runs, no two of one key, each with its own outcome and as [`Sink::deliver`] would: what one comes to is nothing
    /// to the others. May be dropped at any await point; what is answered by then stays answered.
    async fn deliver_all(&self, runs: &[Run], outcomes: &mut Outcomes) {
        outcomes::beside_each_other(self, runs, outcomes).await;
    }

    /// Whether the destination can be reached; the probe that ends an outage, and what `posthaste check` calls.
    async fn check(&self) -> Result<(), Error>;

    /// What a person should know about the destination, a line each, for `posthaste check`. Says nothing unless it knows more than
    /// whether the destination can be reached.
    async fn describe(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether a delivery that is dropped goes on, and is taken up again by the next one of the same message. Such a delivery may last
    /// long: it is waited for neither when a worker stops nor when it gives a partition to another.
    fn resumes(&self) -> bool {
        false
    }
}
