//! Sinks that break their contract cost their own messages an attempt, and nothing else.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use posthaste::Result;
use posthaste::destination::Destination;
use posthaste::inspect::Status;
use posthaste::message::Message;
use posthaste::sink::{Error, Outcome, Run, Sink};

use super::making::{destination, ids, interleaved};
use super::outbox::{Outbox, until};
use super::receiver::Receiver;

on_every_store! {
    a_sink_that_panics_costs_an_attempt,
    a_sink_that_panics_when_it_is_called_costs_an_attempt,
    a_sink_that_never_answers_costs_an_attempt,
    a_sink_that_confirms_less_without_a_reason_is_asked_again,
    a_sink_that_confirms_more_than_it_was_given_is_taken_at_the_run,
    a_sink_whose_check_panics_stays_out_of_reach_until_it_does_not,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Habit {
    Panic,
    PanicWhenCalled,
    Silence,
    /// Says nothing about the rest.
    ConfirmOne,
    ConfirmTooMuch,
}

/// Behaves badly when the first message of a run is tried for the first time, then well.
#[derive(Debug)]
struct Bad {
    habit: Habit,
    inner: Arc<dyn Sink>,
}

impl Bad {
    async fn misbehave(&self, run: &Run) -> Outcome {
        match self.habit {
            Habit::Panic | Habit::PanicWhenCalled => panic!("a bug in a sink"),
            Habit::Silence => std::future::pending().await,
            Habit::ConfirmOne => {
                let mut first = run.clone();
                first.deliveries.truncate(1);
                self.inner.deliver(&first).await
            }
            Habit::ConfirmTooMuch => {
                let mut outcome = self.inner.deliver(run).await;
                outcome.confirmed = usize::MAX;
                outcome
            }
        }
    }
}

/// As `async_trait` would write it, but for the panic outside of the future.
impl Sink for Bad {
    fn deliver<'a, 'run, 'future>(&'a self, run: &'run Run) -> Pin<Box<dyn Future<Output = Outcome> + Send + 'future>>
    where
        'a: 'future,
        'run: 'future,
    {
        let first_time = run.deliveries[0].attempt == 1;
        assert!(!first_time || self.habit != Habit::PanicWhenCalled, "a bug in a sink");
        Box::pin(async move { if first_time { self.misbehave(run).await } else { self.inner.deliver(run).await } })
    }

    fn check<'a, 'future>(&'a self) -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'future>>
    where
        'a: 'future,
    {
        self.inner.check()
    }
}

fn impatient() -> Destination {
    let mut app = destination("app");
    app.timeout = Duration::from_millis(250);
    app
}

/// Five keys, each with more than one message.
fn messages() -> Vec<Message> {
    interleaved(5, 3)
}

/// Everything is delivered in spite of the habit, and the first failure is on record as `reason`.
async fn survives(outbox: &Outbox, habit: Habit, reason: &str) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), messages());
    outbox.write(&messages).await?;
    let bad = Arc::new(Bad { habit, inner: receiver.sink() });
    let relay = outbox.start(impatient(), bad);
    receiver.until_has(&ids(&messages)).await;
    for message in &messages {
        outbox.until_status("app", message.id, Status::Delivered).await?;
    }
    relay.stop().await?;
    receiver.assert_got(&messages);
    let timelines = messages.iter().map(|message| outbox.delivery("app", message.id));
    let mut reasons = Vec::new();
    for timeline in timelines {
        reasons.extend(timeline.await?.timeline.into_iter().filter_map(|tried| tried.error));
    }
    assert!(!reasons.is_empty() && reasons.iter().all(|told| told.contains(reason)), "{reasons:?}");
    Ok(())
}

async fn a_sink_that_panics_costs_an_attempt(outbox: Outbox) -> Result<()> {
    survives(&outbox, Habit::Panic, "the sink panicked").await
}

async fn a_sink_that_panics_when_it_is_called_costs_an_attempt(outbox: Outbox) -> Result<()> {
    survives(&outbox, Habit::PanicWhenCalled, "the sink panicked").await
}

async fn a_sink_that_never_answers_costs_an_attempt(outbox: Outbox) -> Result<()> {
    survives(&outbox, Habit::Silence, "no answer within 250ms").await
}

async fn a_sink_that_confirms_less_without_a_reason_is_asked_again(outbox: Outbox) -> Result<()> {
    survives(&outbox, Habit::ConfirmOne, "confirmed 1 of").await
}

async fn a_sink_that_confirms_more_than_it_was_given_is_taken_at_the_run(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), messages());
    outbox.write(&messages).await?;
    let bad = Arc::new(Bad { habit: Habit::ConfirmTooMuch, inner: receiver.sink() });
    let relay = outbox.start(impatient(), bad);
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    let counts = outbox.counts("app").await?;
    assert_eq!((counts.pending, counts.waiting, counts.retrying, counts.dead), (0, 0, 0, 0));
    Ok(())
}

/// Panics the first times it is asked whether the destination is there.
#[derive(Debug)]
struct PanickingCheck {
    panics: AtomicUsize,
    inner: Arc<dyn Sink>,
}

#[async_trait]
impl Sink for PanickingCheck {
    async fn deliver(&self, run: &Run) -> Outcome {
        self.inner.deliver(run).await
    }

    async fn check(&self) -> Result<(), Error> {
        let left = self.panics.load(Ordering::SeqCst);
        self.panics.store(left.saturating_sub(1), Ordering::SeqCst);
        assert_eq!(left, 0, "a bug in a sink");
        self.inner.check().await
    }
}

async fn a_sink_whose_check_panics_stays_out_of_reach_until_it_does_not(outbox: Outbox) -> Result<()> {
    let (receiver, messages) = (Receiver::new(), messages());
    receiver.set_reachable(false);
    let sink = Arc::new(PanickingCheck { panics: AtomicUsize::new(2), inner: receiver.sink() });
    let relay = outbox.start(destination("app"), sink.clone());
    outbox.write(&messages).await?;
    until("the outage is noticed", || relay.sees("app").outage.is_some()).await;
    receiver.set_reachable(true);
    receiver.until_count(messages.len()).await;
    relay.stop().await?;
    receiver.assert_got(&messages);
    assert_eq!(sink.panics.load(Ordering::SeqCst), 0);
    Ok(())
}
