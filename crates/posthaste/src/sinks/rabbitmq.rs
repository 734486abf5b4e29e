//! RabbitMQ, over AMQP 0-9-1, with publisher confirms.
//!
//! Delivered means: the broker confirmed the message *and* did not return it as unroutable.
//!
//! A run goes through a channel that it has for itself, taken from a pool. So whatever closes a channel (an exchange that does
//! not exist, a message that is too large) meets this run alone, and a message that comes back belongs to this run: the client
//! does not say which confirmation it belongs to, but the message id in it does.
//!
//! Within a run, messages are sent without waiting for each other as long as they take a route (exchange and routing key) that has
//! taken a message before. The first message on a new route goes last in its wave and is waited for, so that nothing is sent
//! behind a message that nobody wants. What was not confirmed is reported from the first such message on, and sent again from there.

use std::sync::Arc;

use async_trait::async_trait;

use self::connection::{Connection, OpenConnection};
use self::encode::Publication;
use self::publish::{Pace, Stop};
use crate::sink::settings::Problem;
use crate::sink::{Error, Outcome, Run, Sink};

pub use self::settings::{Binding, Declare, Exchange, Queue, Settings};

mod connection;
mod encode;
mod publish;
mod settings;
mod topology;
mod verdict;

/// Publishes to an exchange.
#[derive(Debug)]
pub struct Rabbitmq {
    settings: Arc<Settings>,
    connection: Connection,
}

impl Rabbitmq {
    /// Connects when first needed. An error says which setting is wrong.
    pub fn new(settings: Settings) -> Result<Self, Problem> {
        let target = connection::Target::of(&settings)?;
        encode::check(&settings)?;
        settings.declare.check()?;
        let settings = Arc::new(settings);
        Ok(Self { connection: Connection::to(target, settings.clone()), settings })
    }

    /// Sends publications in order, and once more one by one from where a closed channel leaves open whose fault it was.
    async fn send(&self, publications: &[Publication]) -> (usize, Option<Error>) {
        let (mut confirmed, mut pace) = (0, self.settings.pace());
        loop {
            let open = match self.connection.open().await {
                Ok(open) => open,
                Err(error) => return (confirmed, Some(error)),
            };
            let sent = publish::in_order(&open, &publications[confirmed..], pace, &self.settings).await;
            confirmed += sent.confirmed;
            match sent.stop {
                None => return (confirmed, None),
                Some(Stop::Ambiguous) => pace = Pace::OneByOne,
                Some(Stop::Because(error)) => return (confirmed, Some(error)),
                Some(Stop::Silence(error)) => {
                    self.connection.abandon(&open);
                    return (confirmed, Some(error));
                }
            }
        }
    }

    /// Whether an exchange that all messages go to is there.
    async fn find_exchange(&self, open: &OpenConnection) -> Result<(), Error> {
        match self.settings.exchange.fixed().filter(|name| !name.is_empty()) {
            Some(exchange) => topology::find_exchange(open, exchange).await,
            None => Ok(()),
        }
    }
}

#[async_trait]
impl Sink for Rabbitmq {
    async fn deliver(&self, run: &Run) -> Outcome {
        let (publications, refused) = encode::publications(&self.settings, run);
        let (confirmed, error) = self.send(&publications).await;
        match error.or(refused) {
            Some(error) => Outcome::stopped(confirmed, error),
            None => Outcome::delivered(run),
        }
    }

    async fn check(&self) -> Result<(), Error> {
        let open = self.connection.open().await?;
        let checked = tokio::time::timeout(self.settings.timeout, async {
            open.refuse_if_blocked()?;
            self.find_exchange(&open).await
        });
        match checked.await {
            Ok(result) => result,
            Err(_) => {
                self.connection.abandon(&open);
                Err(verdict::silence(&open.address, self.settings.timeout))
            }
        }
    }
}

#[cfg(test)]
mod tests;
