//! Letters in order through one channel.

use std::collections::HashSet;
use std::future::{Future, poll_fn};
use std::task::Poll;
use std::time::Duration;

use futures_util::future::maybe_done;
use lapin::{Channel, Confirmation};
use tokio::time::{Instant, sleep};

use super::connection::Open;
use super::errors;
use super::letter::Letter;
use super::settings::Settings;
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

/// What became of letters.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) confirmed: usize,
    pub(super) stop: Option<Stop>,
}

#[derive(Debug)]
pub(super) enum Stop {
    Because(Error),
    /// The broker closed the channel, and several letters may be the reason.
    Ambiguous,
    /// No answer came; the connection is of no use any more.
    Silence(Error),
}

/// Publishes letters until one is not confirmed.
pub(super) async fn in_order(open: &Open, letters: &[Letter], pace: Pace, settings: &Settings) -> Sent {
    let stopped = |confirmed, stop| Sent { confirmed, stop: Some(stop) };
    if let Err(error) = open.refuse_if_blocked() {
        return stopped(0, Stop::Because(error));
    }
    let channel = match tokio::time::timeout(settings.timeout, open.channel()).await {
        Ok(Ok(channel)) => channel,
        Ok(Err(error)) => return stopped(0, Stop::Because(errors::of_connection(&open.address, &error))),
        Err(_) => return stopped(0, Stop::Silence(errors::silence(&open.address, settings.timeout))),
    };
    let mut confirmed = 0;
    while confirmed < letters.len() {
        let wave = wave(open, &letters[confirmed..], pace);
        let answers = send(open, &channel, wave, settings.timeout).await;
        let usable = answers.channel_is_usable();
        let Sent { confirmed: more, stop } = answers.judge(open, wave, settings);
        confirmed += more;
        wave[..more].last().inspect(|letter| open.routes.learn(&letter.route));
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

/// The next letters that may go together.
fn wave<'a>(open: &Open, letters: &'a [Letter], pace: Pace) -> &'a [Letter] {
    let length = match pace {
        Pace::OneByOne => 1,
        Pace::KnownRoutes => {
            let new = letters.iter().position(|letter| !open.routes.has(&letter.route));
            new.map_or(letters.len(), |new| new + 1)
        }
        Pace::Everything => letters.len(),
    };
    &letters[..length]
}

/// Sends all letters, then waits for all confirmations.
async fn send(open: &Open, channel: &Channel, letters: &[Letter], patience: Duration) -> Answers {
    let mut under_way: Vec<_> = letters.iter().map(|letter| Box::pin(maybe_done(publish(channel, letter)))).collect();
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

async fn publish(channel: &Channel, letter: &Letter) -> lapin::Result<Confirmation> {
    let (exchange, routing_key) = letter.route.clone();
    let published =
        channel.basic_publish(exchange, routing_key, letter.options, &letter.body, letter.properties.clone());
    published.await?.await
}

/// Ends when there is no use in waiting any longer.
async fn interruption(open: &Open, patience: Duration) -> Stop {
    let begun = Instant::now();
    loop {
        sleep(GLANCE).await;
        if let Err(error) = open.refuse_if_blocked() {
            return Stop::Because(error);
        }
        if begun.elapsed() >= patience {
            return Stop::Silence(errors::silence(&open.address, patience));
        }
    }
}

/// What the broker said to each letter of a wave, as far as it did.
struct Answers {
    answers: Vec<Option<lapin::Result<Confirmation>>>,
    interrupted: Option<Stop>,
}

impl Answers {
    /// Nothing is under way on it, and it is open.
    fn channel_is_usable(&self) -> bool {
        self.interrupted.is_none() && self.answers.iter().flatten().all(Result::is_ok)
    }

    /// The ids of letters that came back. A returned message comes before its confirmation, but the client may have put it to
    /// that of another letter, if the broker confirmed several at once.
    fn returned(&self) -> HashSet<String> {
        let confirmations = self.answers.iter().flatten().flatten();
        let returned = confirmations.filter_map(|confirmation| match confirmation {
            Confirmation::Ack(returned) | Confirmation::Nack(returned) => returned.as_ref(),
            Confirmation::NotRequested => None,
        });
        returned.filter_map(|message| Some(message.delivery.properties.message_id().as_ref()?.to_string())).collect()
    }

    /// How many leading letters were confirmed, and why the next one was not.
    fn judge(self, open: &Open, letters: &[Letter], settings: &Settings) -> Sent {
        let returned = self.returned();
        let alone = letters.len() == 1;
        for (confirmed, (answer, letter)) in self.answers.into_iter().zip(letters).enumerate() {
            let stop = match answer {
                Some(Ok(Confirmation::Ack(_))) if !returned.contains(letter.id.as_str()) => continue,
                Some(Ok(Confirmation::Ack(_))) => Stop::Because(errors::unroutable(letter)),
                Some(Ok(Confirmation::Nack(_) | Confirmation::NotRequested)) => Stop::Because(errors::nacked(letter)),
                Some(Err(error)) if !alone && errors::soft(&error).is_some() => Stop::Ambiguous,
                Some(Err(error)) => {
                    let all_go_there = settings.exchange.fixed().is_some();
                    Stop::Because(errors::of_letter(&open.address, &error, letter, all_go_there))
                }
                None => {
                    self.interrupted.unwrap_or_else(|| Stop::Silence(errors::silence(&open.address, settings.timeout)))
                }
            };
            return Sent { confirmed, stop: Some(stop) };
        }
        Sent { confirmed: letters.len(), stop: None }
    }
}
