//! Messages in order through one channel, and the confirmations for them.

use std::collections::HashSet;
use std::future::{Future, poll_fn};
use std::task::Poll;
use std::time::Duration;

use futures_util::future::maybe_done;
use lapin::{Channel, Confirmation};
use tokio::time::{Instant, sleep};

use super::connection::OpenConnection;
use super::encode::Publication;
use super::settings::Settings;
use super::verdict;
use crate::sink::Error;

/// How often a wait for confirmations looks whether the broker has blocked the connection.
const GLANCE: Duration = Duration::from_millis(50);

/// What is sent without waiting for what went before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    OneByOne,
    /// All that takes routes that have taken a message before.
    KnownRoutes,
    Everything,
}

/// What became of publications.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) confirmed: usize,
    pub(super) stop: Option<Stop>,
}

#[derive(Debug)]
pub(super) enum Stop {
    Because(Error),
    /// The broker closed the channel, and several publications may be the reason.
    Ambiguous,
    /// No answer came; the connection is of no use any more.
    Silence(Error),
}

/// Publishes publications until one is not confirmed.
pub(super) async fn in_order(
    open: &OpenConnection,
    publications: &[Publication],
    pace: Pace,
    settings: &Settings,
) -> Sent {
    let stopped = |confirmed, stop| Sent { confirmed, stop: Some(stop) };
    if let Err(error) = open.refuse_if_blocked() {
        return stopped(0, Stop::Because(error));
    }
    let channel = match tokio::time::timeout(settings.timeout, open.channel()).await {
        Ok(Ok(channel)) => channel,
        Ok(Err(error)) => return stopped(0, Stop::Because(verdict::of_connection(&open.address, &error))),
        Err(_) => return stopped(0, Stop::Silence(verdict::silence(&open.address, settings.timeout))),
    };
    let mut confirmed = 0;
    while confirmed < publications.len() {
        let wave = wave(open, &publications[confirmed..], pace);
        let answers = send(open, &channel, wave, settings.timeout).await;
        let usable = answers.channel_is_usable();
        let Sent { confirmed: more, stop } = answers.judge(open, wave, settings);
        confirmed += more;
        wave[..more].last().inspect(|publication| open.routes.learn(&publication.route, ()));
        if let Some(stop) = stop {
            open.routes.forget(&wave[more].route);
            if usable {
                open.give_back(channel);
            }
            return stopped(confirmed, stop);
        }
    }
    open.give_back(channel);
    Sent { confirmed, stop: None }
}

/// The next publications that may go together.
fn wave<'a>(open: &OpenConnection, publications: &'a [Publication], pace: Pace) -> &'a [Publication] {
    let length = match pace {
        Pace::OneByOne => 1,
        Pace::KnownRoutes => {
            let new = publications.iter().position(|publication| open.routes.get(&publication.route).is_none());
            new.map_or(publications.len(), |new| new + 1)
        }
        Pace::Everything => publications.len(),
    };
    &publications[..length]
}

/// Sends all publications, then waits for all confirmations.
async fn send(open: &OpenConnection, channel: &Channel, publications: &[Publication], patience: Duration) -> Answers {
    let mut under_way: Vec<_> =
        publications.iter().map(|publication| Box::pin(maybe_done(publish(channel, publication)))).collect();
    let all = async {
        // The first look at each puts it into the client's queue: this makes the order.
        poll_fn(|context| {
            for one in &mut under_way {
                let _ = one.as_mut().poll(context);
            }
            Poll::Ready(())
        })
        .await;
        for one in &mut under_way {
            one.as_mut().await;
        }
    };
    let interrupted = tokio::select! {
        () = all => None,
        stop = interruption(open, patience) => Some(stop),
    };
    let answers = under_way.iter_mut().map(|one| one.as_mut().take_output()).collect();
    Answers { answers, interrupted }
}

async fn publish(channel: &Channel, publication: &Publication) -> lapin::Result<Confirmation> {
    let (exchange, routing_key) = publication.route.clone();
    let published = channel.basic_publish(
        exchange,
        routing_key,
        publication.options,
        &publication.body,
        publication.properties.clone(),
    );
    published.await?.await
}

/// Ends when there is no use in waiting any longer.
async fn interruption(open: &OpenConnection, patience: Duration) -> Stop {
    let begun = Instant::now();
    loop {
        sleep(GLANCE).await;
        if let Err(error) = open.refuse_if_blocked() {
            return Stop::Because(error);
        }
        if begun.elapsed() >= patience {
            return Stop::Silence(verdict::silence(&open.address, patience));
        }
    }
}

/// What the broker said to each publication of a wave, as far as it did.
struct Answers {
    answers: Vec<Option<lapin::Result<Confirmation>>>,
    interrupted: Option<Stop>,
}

impl Answers {
    /// Nothing is under way on it, and it is open.
    fn channel_is_usable(&self) -> bool {
        self.interrupted.is_none() && self.answers.iter().flatten().all(Result::is_ok)
    }

    /// The ids of publications that came back. A returned message comes before its confirmation, but the client may have put it to
    /// that of another publication, if the broker confirmed several at once.
    fn returned(&self) -> HashSet<String> {
        let confirmations = self.answers.iter().flatten().flatten();
        let returned = confirmations.filter_map(|confirmation| match confirmation {
            Confirmation::Ack(returned) | Confirmation::Nack(returned) => returned.as_ref(),
            Confirmation::NotRequested => None,
        });
        returned.filter_map(|message| Some(message.delivery.properties.message_id().as_ref()?.to_string())).collect()
    }

    /// How many leading publications were confirmed, and why the next one was not.
    fn judge(self, open: &OpenConnection, publications: &[Publication], settings: &Settings) -> Sent {
        let returned = self.returned();
        let alone = publications.len() == 1;
        for (confirmed, (answer, publication)) in self.answers.into_iter().zip(publications).enumerate() {
            let stop = match answer {
                Some(Ok(Confirmation::Ack(_))) if !returned.contains(publication.id.as_str()) => continue,
                Some(Ok(Confirmation::Ack(_))) => Stop::Because(verdict::unroutable(publication)),
                Some(Ok(Confirmation::Nack(_) | Confirmation::NotRequested)) => {
                    Stop::Because(verdict::nacked(publication))
                }
                Some(Err(error)) if !alone && verdict::soft(&error).is_some() => Stop::Ambiguous,
                Some(Err(error)) => {
                    let all_go_there = settings.exchange.fixed().is_some();
                    Stop::Because(verdict::of_publication(&open.address, &error, publication, all_go_there))
                }
                None => {
                    self.interrupted.unwrap_or_else(|| Stop::Silence(verdict::silence(&open.address, settings.timeout)))
                }
            };
            return Sent { confirmed, stop: Some(stop) };
        }
        Sent { confirmed: publications.len(), stop: None }
    }
}
