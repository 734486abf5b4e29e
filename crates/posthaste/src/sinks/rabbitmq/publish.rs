//! Messages in order through one channel, and the confirmations for them: those of one run, or of several at once.

use std::collections::{HashSet, VecDeque};
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

#[derive(Debug, Clone)]
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
    let channel = match channel(open, settings.timeout).await {
        Ok(channel) => channel,
        Err(stop) => return Sent { confirmed: 0, stop: Some(stop) },
    };
    let mut confirmed = 0;
    while confirmed < publications.len() {
        let wave = wave(open, &publications[confirmed..], pace);
        let mut answers = send(open, &channel, wave.iter().collect(), settings.timeout).await;
        let usable = answers.channel_is_usable();
        let Sent { confirmed: more, stop } = answers.judge(open, wave, settings);
        confirmed += more;
        wave[..more].last().inspect(|publication| open.routes.learn(&publication.route, ()));
        if let Some(stop) = stop {
            open.routes.forget(&wave[more].route);
            if usable {
                open.give_back(channel);
            }
            return Sent { confirmed, stop: Some(stop) };
        }
    }
    open.give_back(channel);
    Sent { confirmed, stop: None }
}

/// Publishes several runs through one channel, each up to the first message on a route that is new, and says what became of each.
pub(super) async fn together(
    open: &OpenConnection,
    runs: &[&[Publication]],
    pace: Pace,
    settings: &Settings,
) -> Vec<Sent> {
    let waves: Vec<&[Publication]> =
        runs.iter().map(|run| &run[..known(open, run, pace).unwrap_or(run.len())]).collect();
    let publications: Vec<&Publication> = waves.iter().copied().flatten().collect();
    if publications.is_empty() {
        return waves.iter().map(|_| Sent { confirmed: 0, stop: None }).collect();
    }
    let channel = match channel(open, settings.timeout).await {
        Ok(channel) => channel,
        Err(stop) => return waves.iter().map(|_| Sent { confirmed: 0, stop: Some(stop.clone()) }).collect(),
    };
    let mut answers = send(open, &channel, publications, settings.timeout).await;
    if answers.channel_is_usable() {
        open.give_back(channel);
    }
    let mut judge = |wave: &&[Publication]| {
        let sent = answers.judge(open, wave, settings);
        wave.get(sent.confirmed).inspect(|publication| open.routes.forget(&publication.route));
        sent
    };
    waves.iter().map(&mut judge).collect()
}

async fn channel(open: &OpenConnection, patience: Duration) -> Result<Channel, Stop> {
    open.refuse_if_blocked().map_err(Stop::Because)?;
    match tokio::time::timeout(patience, open.channel()).await {
        Ok(Ok(channel)) => Ok(channel),
        Ok(Err(error)) => Err(Stop::Because(verdict::of_connection(&open.address, &error))),
        Err(_) => Err(Stop::Silence(verdict::silence(&open.address, patience))),
    }
}

/// Where the first route stands that has not taken a message yet; nowhere if that does not matter.
fn known(open: &OpenConnection, publications: &[Publication], pace: Pace) -> Option<usize> {
    let is_new = |publication: &Publication| open.routes.get(&publication.route).is_none();
    publications.iter().position(is_new).filter(|_| pace != Pace::Everything)
}

/// The next publications that may go together.
fn wave<'a>(open: &OpenConnection, publications: &'a [Publication], pace: Pace) -> &'a [Publication] {
    let length = match pace {
        Pace::OneByOne => 1,
        Pace::KnownRoutes | Pace::Everything => {
            known(open, publications, pace).map_or(publications.len(), |new| new + 1)
        }
    };
    &publications[..length]
}

/// Sends all publications, then waits for all confirmations.
async fn send(
    open: &OpenConnection,
    channel: &Channel,
    publications: Vec<&Publication>,
    patience: Duration,
) -> Answers {
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
    let answers: Vec<_> = under_way.iter_mut().map(|one| one.as_mut().take_output()).collect();
    Answers { alone: answers.len() == 1, returned: returned(&answers), answers: answers.into(), interrupted }
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

/// What the broker said to publications that went together, as far as it did.
struct Answers {
    answers: VecDeque<Answer>,
    /// The ids of publications that came back.
    returned: HashSet<String>,
    /// There was but one.
    alone: bool,
    interrupted: Option<Stop>,
}

/// What the broker said to a publication; `None` if nothing.
type Answer = Option<lapin::Result<Confirmation>>;

/// The ids of publications that came back. A returned message comes before its confirmation, but the client may have put it to
/// that of another publication, if the broker confirmed several at once.
fn returned(answers: &[Answer]) -> HashSet<String> {
    let confirmations = answers.iter().flatten().flatten();
    let returned = confirmations.filter_map(|confirmation| match confirmation {
        Confirmation::Ack(returned) | Confirmation::Nack(returned) => returned.as_ref(),
        Confirmation::NotRequested => None,
    });
    returned.filter_map(|message| Some(message.delivery.properties.message_id().as_ref()?.to_string())).collect()
}

impl Answers {
    /// Nothing is under way on it, and it is open.
    fn channel_is_usable(&self) -> bool {
        self.interrupted.is_none() && self.answers.iter().flatten().all(Result::is_ok)
    }

    /// How many leading publications of the next run were confirmed, and why the next one was not.
    fn judge(&mut self, open: &OpenConnection, run: &[Publication], settings: &Settings) -> Sent {
        let answers: Vec<Answer> = self.answers.drain(..run.len()).collect();
        for (confirmed, (answer, publication)) in answers.into_iter().zip(run).enumerate() {
            if let Some(stop) = self.stop(open, answer, publication, settings) {
                return Sent { confirmed, stop: Some(stop) };
            }
        }
        Sent { confirmed: run.len(), stop: None }
    }

    /// Why a publication is not confirmed, if it is not.
    fn stop(
        &self,
        open: &OpenConnection,
        answer: Answer,
        publication: &Publication,
        settings: &Settings,
    ) -> Option<Stop> {
        Some(match answer {
            Some(Ok(Confirmation::Ack(_))) if !self.returned.contains(publication.id.as_str()) => return None,
            Some(Ok(Confirmation::Ack(_))) => Stop::Because(verdict::unroutable(publication)),
            Some(Ok(Confirmation::Nack(_) | Confirmation::NotRequested)) => Stop::Because(verdict::nacked(publication)),
            Some(Err(error)) if !self.alone && verdict::soft(&error).is_some() => Stop::Ambiguous,
            Some(Err(error)) => {
                let all_go_there = settings.exchange.fixed().is_some();
                Stop::Because(verdict::of_publication(&open.address, &error, publication, all_go_there))
            }
            None => {
                let silence = || Stop::Silence(verdict::silence(&open.address, settings.timeout));
                self.interrupted.clone().unwrap_or_else(silence)
            }
        })
    }
}
