//! What the client says about itself and the brokers.

use std::sync::{Arc, Mutex};

use rdkafka::Statistics;
use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use tokio::sync::watch;

use super::connection::lock;

/// How a client is, as far as is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Health {
    Fine,
    /// All brokers are out of reach.
    CutOff,
    /// It has met an error after which it sends nothing more.
    Stopped,
}

/// Listens to what the client says about itself, and logs nothing.
#[derive(Clone)]
pub(super) struct Listener {
    pub(super) health: watch::Sender<Health>,
    pub(super) broker_problem: Arc<Mutex<Option<BrokerProblem>>>,
}

/// What the client last said about a broker. To know that all are down tells nobody what to do.
#[derive(Clone)]
pub(super) struct BrokerProblem {
    pub(super) text: String,
    /// The broker is there, and does not let us in: a certificate, or a password.
    pub(super) turned_away: bool,
}

impl BrokerProblem {
    fn new(code: RDKafkaErrorCode, reason: &str) -> Self {
        let turned_away = matches!(code, RDKafkaErrorCode::SSL | RDKafkaErrorCode::Authentication);
        // After how long, and how often, is another text each time.
        let text = reason.split(" (after ").next().unwrap_or_default().to_owned();
        Self { text, turned_away }
    }
}

impl Default for Listener {
    fn default() -> Self {
        Self { health: watch::Sender::new(Health::Fine), broker_problem: Arc::default() }
    }
}

impl ClientContext for Listener {
    fn log(&self, _: RDKafkaLogLevel, _: &str, _: &str) {}

    fn stats(&self, _: Statistics) {}

    fn error(&self, error: KafkaError, reason: &str) {
        let health = match error {
            KafkaError::Global(RDKafkaErrorCode::AllBrokersDown) => Health::CutOff,
            KafkaError::Global(RDKafkaErrorCode::Fatal) => Health::Stopped,
            KafkaError::Global(code) => {
                *lock(&self.broker_problem) = Some(BrokerProblem::new(code, reason));
                return;
            }
            _ => return,
        };
        // There is nothing after the end.
        self.health.send_if_modified(|now| *now != Health::Stopped && std::mem::replace(now, health) != health);
    }
}
