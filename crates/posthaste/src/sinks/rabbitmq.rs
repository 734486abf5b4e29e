//! RabbitMQ, over AMQP 0-9-1, with publisher confirms.
//!
//! Delivered means: the broker confirmed the message *and* did not return it as unroutable.
//!
//! Runs that are handed over together share a channel, taken from a pool, and one wait for its confirmations. Whatever closes a channel
//! (an exchange that does not exist, a message that is too large) meets them all; then each goes on through a channel of its own,
//! and what closes that meets this run alone. Which message came back the client does not say, but the message id in it does.
//!
//! Within a run, messages are sent without waiting for each other as long as they take a route (exchange and routing key) that has
//! taken a message before. The first message on a new route goes last in its wave and is waited for, so that nothing is sent
//! behind a message that nobody wants. What was not confirmed is reported from the first such message on, and sent again from there.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use self::connection::{Connection, OpenConnection};
use self::encode::Publication;
use self::publish::{Pace, Sent, Stop};
use crate::sink::settings::Problem;
use crate::sink::{Error, Outcome, Outcomes, Run, Sink};

pub use self::settings::{Binding, Declare, Exchange, Queue, Settings};

mod connection;
mod encode;
mod publish;
mod settings;
mod topology;
mod verdict;

/// What goes together is waited for together, so that a long burst would keep its first messages waiting.
const RUNS_AT_ONCE: usize = 1_000;

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
        while confirmed < publications.len() {
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
        (confirmed, None)
    }

    /// Sends what several runs have for routes that are known, in one burst.
    async fn burst(&self, runs: &[&[Publication]]) -> Vec<Sent> {
        let open = match self.connection.open().await {
            Ok(open) => open,
            Err(error) => {
                let unsent = |_| Sent { confirmed: 0, stop: Some(Stop::Because(error.clone())) };
                return runs.iter().map(unsent).collect();
            }
        };
        let sent = publish::together(&open, runs, self.settings.pace(), &self.settings).await;
        if sent.iter().any(|sent| matches!(sent.stop, Some(Stop::Silence(_)))) {
            self.connection.abandon(&open);
        }
        sent
    }

    /// Sends what a burst left of a run.
    async fn finish(&self, publications: &[Publication], sent: Sent) -> (usize, Option<Error>) {
        match sent.stop {
            Some(Stop::Because(error) | Stop::Silence(error)) => (sent.confirmed, Some(error)),
            None | Some(Stop::Ambiguous) => {
                let (more, error) = self.send(&publications[sent.confirmed..]).await;
                (sent.confirmed + more, error)
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
        outcome(run, confirmed, error.or(refused))
    }

    fn runs_at_once(&self) -> usize {
        if self.settings.pipeline { RUNS_AT_ONCE } else { 1 }
    }

    async fn deliver_all(&self, runs: &[Run], outcomes: &mut Outcomes) {
        let encoded: Vec<_> = runs.iter().map(|run| encode::publications(&self.settings, run)).collect();
        let publications: Vec<&[Publication]> = encoded.iter().map(|(publications, _)| &**publications).collect();
        let sent = self.burst(&publications).await;
        let finish = |(nth, sent)| {
            let publications = publications[nth];
            async move { (nth, self.finish(publications, sent).await) }
        };
        let mut under_way: FuturesUnordered<_> = sent.into_iter().enumerate().map(finish).collect();
        while let Some((nth, (confirmed, error))) = under_way.next().await {
            outcomes.answer(nth, outcome(&runs[nth], confirmed, error.or_else(|| encoded[nth].1.clone())));
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

fn outcome(run: &Run, confirmed: usize, error: Option<Error>) -> Outcome {
    match error {
        Some(error) => Outcome::stopped(confirmed, error),
        None => Outcome::delivered(run),
    }
}

#[cfg(test)]
mod tests;
