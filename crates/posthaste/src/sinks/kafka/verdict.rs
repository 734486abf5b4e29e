//! What errors of the client and the brokers mean.

use std::time::Duration;

use rdkafka::error::{KafkaError, RDKafkaErrorCode as Code};

use super::connection::Batches;
use super::encode::Record;
use super::settings::Settings;
use crate::sink::{Error, Verdict};

/// Why a record was not confirmed.
#[derive(Debug)]
pub(super) enum Stop {
    Because(Error),
    /// A batch was refused, and several records may be the reason.
    Ambiguous,
    /// The producer threw it away unsent, for what may be another run's fault.
    Purged,
    /// The producer is of no use any more.
    Lost(Error),
}

/// What a broker said to a batch. Unless it was a batch of one, a refusal may mean any record of it, of other runs, too.
pub(super) fn of_delivery(error: &KafkaError, record: &Record<'_>, settings: &Settings, batches: Batches) -> Stop {
    match of_record(error, record, settings) {
        Stop::Because(error) if error.verdict == Verdict::Reject && batches == Batches::Shared => Stop::Ambiguous,
        stop => stop,
    }
}

/// What is known to be about this record.
pub(super) fn of_record(error: &KafkaError, record: &Record<'_>, settings: &Settings) -> Stop {
    let topic = &*record.topic;
    let said = || format!("topic {topic:?}: {}", text(error));
    match error.rdkafka_error_code() {
        Some(
            Code::MessageSizeTooLarge
            | Code::InvalidMessage
            | Code::InvalidMessageSize
            | Code::InvalidRecord
            | Code::InvalidTimestamp
            | Code::PolicyViolation
            | Code::UnsupportedForMessageFormat,
        ) => Stop::Because(Error::reject(said())),
        Some(
            Code::UnknownTopic
            | Code::UnknownPartition
            | Code::UnknownTopicOrPartition
            | Code::InvalidTopic
            | Code::TopicAuthorizationFailed,
        ) => match settings.topic.fixed() {
            // All messages go there, so it is nobody's fault.
            Some(_) => Stop::Because(Error::unreachable(said())),
            None => Stop::Because(Error::retry(said())),
        },
        Some(Code::PurgeQueue | Code::PurgeInflight | Code::Fatal | Code::GaplessGuarantee) => Stop::Purged,
        _ => Stop::Lost(Cluster::at(&settings.brokers).error(error)),
    }
}

/// Everything that is not about a message is about the cluster, and everybody's trouble. Named by the brokers of the settings, which
/// hold no password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cluster(String);

impl Cluster {
    pub(super) fn at(brokers: &str) -> Self {
        Self(brokers.to_owned())
    }

    pub(super) fn error(&self, error: &KafkaError) -> Error {
        self.unreachable(text(error))
    }

    /// All brokers are out of reach, and this is what the client says of one.
    pub(super) fn cut_off(&self, why: Option<String>) -> Error {
        self.unreachable(why.unwrap_or_else(|| "all brokers are down".into()))
    }

    pub(super) fn silence(&self, patience: Duration) -> Error {
        Error::unreachable(format_args!("Kafka at {} did not answer within {patience:?}", self.0))
    }

    pub(super) fn interrupted(&self) -> Error {
        Error::unreachable(format_args!("the producer for Kafka at {} was restarted again and again", self.0))
    }

    fn unreachable(&self, why: String) -> Error {
        Error::unreachable(format_args!("Kafka at {} cannot be reached: {why}", self.0))
    }
}

/// What the client says, without the values of settings.
fn text(error: &KafkaError) -> String {
    match error {
        KafkaError::ClientConfig(_, _, name, _) => format!("the property {name} is not as it should be"),
        KafkaError::Transaction(error) => error.to_string(),
        error => match error.rdkafka_error_code() {
            Some(code) => code.to_string(),
            None => error.to_string(),
        },
    }
}
